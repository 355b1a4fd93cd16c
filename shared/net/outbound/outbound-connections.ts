/** Sends one request to an address that was checked, directly or through the proxy. */
import { bound } from "#shared/base/bounds.ts";
import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions } from "node:http";
import type { Agent as SecureAgent, AgentOptions } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { CheckedUrl } from "./outbound-url.ts";

export interface Hop {
	readonly target: CheckedUrl;
	/** The checked addresses; absent when the proxy resolves the name. */
	readonly addresses: readonly string[] | undefined;
	readonly method: string;
	readonly headers: OutgoingHttpHeaders;
	readonly body: string | Buffer | undefined;
	readonly signal: AbortSignal;
}

const maxHeaderBytes = 32_768;
const idleMs = 10_000;

/** Owns the connections that leave the platform. They are reused for the same host, scheme and port only. */
export class OutboundConnections {
	readonly #proxy: string | undefined;
	readonly #agents = new Map<string, SecureAgent>();

	/** @param proxy The URL of the proxy for hosts that the configuration does not allow by name. */
	constructor(proxy: string | undefined) {
		this.#proxy = proxy;
	}

	/** Resolves with the head of the answer; the body still has to be read or destroyed. */
	async send({ target, addresses, method, headers, body, signal }: Hop): Promise<IncomingMessage> {
		const isSecure = target.url.protocol === "https:";
		// The modules are loaded with the first request: most processes never send one.
		const web = isSecure ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
		const isProxied = this.#proxy !== undefined && !target.isAllowed;
		const options: RequestOptions & { servername?: string } = {
			method,
			headers: { ...headers, host: target.url.host },
			path: target.url.pathname + target.url.search,
			port: target.url.port === "" ? undefined : target.url.port,
			signal,
			maxHeaderSize: maxHeaderBytes,
			agent: this.#agentOf(isSecure, isProxied, target.isAllowed),
			...(isIP(target.host) === 0 && { servername: target.host }),
			...placeOf(target.host, addresses, isProxied),
		};
		return new Promise((resolve, reject) => {
			const outgoing = web.request(options);
			outgoing.once("response", resolve);
			// A second error of one request, which nobody listened to, would end the process.
			outgoing.on("error", reject);
			// An upgrade that nobody asked for would otherwise leave the request without an answer.
			outgoing.once("upgrade", (_response, socket) => {
				socket.on("error", reject);
				socket.destroy();
				reject(new Error("The server changed the protocol"));
			});
			outgoing.end(body);
		});
	}

	close(): void {
		for (const agent of this.#agents.values()) agent.destroy();
		this.#agents.clear();
	}

	/** A kept connection to an allowed host may lead to a private address, so other requests do not get it. */
	#agentOf(isSecure: boolean, isProxied: boolean, isAllowed: boolean): SecureAgent {
		const name = `${isSecure} ${isProxied} ${isAllowed}`;
		const agent = this.#agents.get(name) ?? newAgent(isSecure, isProxied ? this.#proxy : undefined);
		this.#agents.set(name, agent);
		return agent;
	}
}

function newAgent(isSecure: boolean, proxy: string | undefined): SecureAgent {
	const { Agent } = isSecure ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
	const options: AgentOptions = {
		keepAlive: true,
		maxSockets: bound.outboundSocketsOfOne,
		maxTotalSockets: bound.outboundSockets,
		maxFreeSockets: 4,
		timeout: idleMs,
		...(proxy !== undefined && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
	};
	return new Agent(options) as SecureAgent;
}

/** Returns the options that pin the connection to the checked addresses. */
function placeOf(host: string, addresses: readonly string[] | undefined, isProxied: boolean): RequestOptions {
	const [first] = addresses ?? [];
	if (addresses === undefined || first === undefined) return { host };
	// The proxy gets the address itself, so that it cannot resolve the name to another one.
	return isProxied ? { host: first } : { host, lookup: pinned(addresses) };
}

/** Answers a connection's question for the host's addresses with those that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
	const answers = addresses.map((address) => ({ address, family: isIP(address) }));
	return (_host, { all }, callback) => {
		const [first] = answers;
		if (all) callback(null, answers);
		else callback(null, first?.address ?? "", first?.family ?? 0);
	};
}
