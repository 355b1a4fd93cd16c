/**
 * Makes URLs of a session's pod. Only addresses of the form that the runtime makes are accepted, because the pod's key
 * goes with every request. Pods listen on loopback, or at a host that the configuration names (`pods.agent_hosts`).
 */
import { UpstreamError } from "#shared/base/errors.ts";

const form = /^http:\/\/([\w.-]{1,253}):[1-9]\d{0,4}$/;

/** The host of session agents that no other machine can reach. */
export const loopbackHost = "127.0.0.1";

/**
 * Returns the URL of a request to the pod.
 * @param address The address in the session's record, which is not trusted.
 * @param path A path that begins with a slash.
 * @param hosts The hosts beside loopback at which session agents may listen.
 * @throws {UpstreamError}
 */
export function agentUrl(address: string, path: string, hosts: readonly string[] = []): URL {
	const host = form.exec(address)?.[1];
	const isKnown = host !== undefined && (host === loopbackHost || hosts.includes(host));
	if (!isKnown || !URL.canParse(address)) {
		throw new UpstreamError("The stored address of the session's pod cannot be a pod's address", "POD_ADDRESS");
	}
	return new URL(path, address);
}

/** Returns the URL of a WebSocket of the pod. @throws {UpstreamError} */
export function agentSocketUrl(address: string, path: string, hosts: readonly string[] = []): URL {
	const url = agentUrl(address, path, hosts);
	url.protocol = "ws:";
	return url;
}
