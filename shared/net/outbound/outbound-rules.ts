/** Reads the rules for outbound requests from the configuration. */
import type { BlockList } from "node:net";
import type { Config } from "#shared/config/config.ts";
import { StartError } from "#shared/base/start-error.ts";
import { blockListOf } from "./public-address.ts";

export type OutboundConfig = Readonly<Config["outbound"]>;

/** The rules that hold for each hop of a request. */
export interface OutboundRules {
	/** Origins that may be private addresses, and use http if they say so. */
	readonly allowed: ReadonlySet<string>;
	readonly ports: readonly number[];
	/** Networks that are refused beside those that are not public. */
	readonly refused: BlockList;
	/** The proxy for everything else than allowed origins. */
	readonly proxy: string | undefined;
	/** The proxy resolves names, and refuses private addresses itself. */
	readonly proxyResolves: boolean;
}

/** @throws {StartError} when an entry cannot be understood. */
export function outboundRules(config: OutboundConfig): OutboundRules {
	const { allow, refuse, proxy, proxy_resolves } = config;
	const ports = config.ports.length === 0 ? [443] : config.ports;
	return {
		allowed: new Set(allow.flatMap((entry) => allowedOrigins(entry, ports))),
		ports,
		refused: refusedNetworks(refuse),
		proxy: proxy === "" ? undefined : proxy,
		proxyResolves: proxy_resolves,
	};
}

/** `gitlab.example` means https at the allowed ports, `gitlab.example:8443` https at that one, a URL its own origin. */
function allowedOrigins(entry: string, ports: readonly number[]): string[] {
	const hasScheme = /^https?:\/\//.test(entry);
	const text = hasScheme ? entry : `https://${entry}`;
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || url.href !== `${url.origin}/` || /[*\s]/.test(entry))
		throw new StartError(`outbound.allow: "${entry}" is no host, host:port, or URL of an origin (http or https)`);
	const hasPort = hasScheme || url.port !== "" || entry.endsWith(":443");
	return hasPort ? [url.origin] : ports.map((port) => new URL(`https://${url.host}:${port}`).origin);
}

/** Returns the networks of `outbound.refuse`. @throws {StartError} when an entry is none. */
export function refusedNetworks(networks: readonly string[]): BlockList {
	try {
		return blockListOf(networks);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw new StartError(`outbound.refuse: "${error.message}" is no network such as 10.96.0.0/12, and no address`);
	}
}
