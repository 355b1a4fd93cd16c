/**
 * Makes URLs of a session's pod. Only addresses of the form that the runtime makes are accepted, because the pod's key
 * goes with every request. Pods on this machine listen on loopback; a runtime with other addresses adds them here.
 */
import { UpstreamError } from "../errors.ts";

const loopback = /^http:\/\/127\.0\.0\.1:[1-9]\d{0,4}$/;

/**
 * Returns the URL of a request to the pod.
 * @param address The address in the session's record, which is not trusted.
 * @param path A path that begins with a slash.
 * @throws {UpstreamError}
 */
export function agentUrl(address: string, path: string): URL {
	if (!loopback.test(address) || !URL.canParse(address)) {
		throw new UpstreamError("The stored address of the session's pod cannot be a pod's address", "POD_ADDRESS");
	}
	return new URL(path, address);
}

/** Returns the URL of a WebSocket of the pod. @throws {UpstreamError} */
export function agentSocketUrl(address: string, path: string): URL {
	const url = agentUrl(address, path);
	url.protocol = "ws:";
	return url;
}
