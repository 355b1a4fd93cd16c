/**
 * Makes URLs of a session's pod. Only addresses of the form that the runtime makes are accepted, because the pod's key
 * goes with every request. Pods listen on loopback, or at a host that the configuration names (`pods.agent_hosts`).
 */
import { BlockList, isIPv4 } from "node:net";
import { UpstreamError } from "#shared/base/errors.ts";

const form = /^http:\/\/([\w.-]{1,253}):[1-9]\d{0,4}$/;

/** The host of session agents that no other machine can reach. */
export const loopbackHost = "127.0.0.1";

/**
 * Returns the URL of a request to the pod.
 * @param address The address in the session's record, which is not trusted.
 * @param path A path that begins with a slash.
 * @param hosts The hosts beside loopback at which session agents may listen, and networks of pods such as `10.244.0.0/16`.
 * @throws {UpstreamError}
 */
export function agentUrl(address: string, path: string, hosts: readonly string[] = []): URL {
	const host = form.exec(address)?.[1];
	const isKnown = host !== undefined && (host === loopbackHost || hosts.includes(host) || isWithin(host, hosts));
	if (!isKnown || !URL.canParse(address)) {
		throw new UpstreamError("The stored address of the session's pod cannot be a pod's address", "POD_ADDRESS");
	}
	return new URL(path, address);
}

/** Whether an address is part of one of the networks. */
function isWithin(host: string, hosts: readonly string[]): boolean {
	if (!isIPv4(host)) return false;
	const networks = new BlockList();
	for (const [network = "", bits] of hosts.map((one) => one.split("/")))
		if (bits !== undefined && isIPv4(network)) networks.addSubnet(network, Math.min(Number(bits), 32));
	return networks.check(host);
}

/** Returns the URL of a WebSocket of the pod. @throws {UpstreamError} */
export function agentSocketUrl(address: string, path: string, hosts: readonly string[] = []): URL {
	const url = agentUrl(address, path, hosts);
	url.protocol = "ws:";
	return url;
}
