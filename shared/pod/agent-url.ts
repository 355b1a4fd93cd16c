/**
 * Where a session's pod may be asked something: only at an address of the form its runtime makes, because the pod's key
 * goes with every request. Pods of this machine listen on loopback; a runtime with other addresses says so here.
 */
import { UpstreamError } from "../errors.ts";

const loopback = /^http:\/\/127\.0\.0\.1:[1-9]\d{0,4}$/;

/**
 * @param address As the session's record has it, whoever wrote that and when.
 * @param path Begins with a slash.
 * @throws {UpstreamError}
 */
export function agentUrl(address: string, path: string): URL {
	if (!loopback.test(address) || !URL.canParse(address)) {
		throw new UpstreamError("The session's pod is said to be where no pod can be", "POD_ADDRESS");
	}
	return new URL(path, address);
}

/** The same for a WebSocket. @throws {UpstreamError} */
export function agentSocketUrl(address: string, path: string): URL {
	const url = agentUrl(address, path);
	url.protocol = "ws:";
	return url;
}
