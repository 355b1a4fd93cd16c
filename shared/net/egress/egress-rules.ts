/** Decides to which servers a session without a network of its own may open connections. Pure. */
import { isIP } from "node:net";
import type { EgressProfile } from "#shared/base/hosts/egress-profiles.ts";

/** The rules of one session. */
export interface EgressRules {
	readonly profile: EgressProfile;
	/** Hosts that the profile `restricted` admits: `registry.example`, or `.example` for all names below it. */
	readonly allowed: readonly string[];
	/** Hosts of the company that the operator admits for all sessions, although their addresses are private. */
	readonly internal: readonly InternalHost[];
	/** The ports of all hosts; absent: other rules decide about ports. */
	readonly ports?: readonly number[];
}

/** A host of the form of {@link EgressRules.allowed}, with a port that is admitted beside those of all hosts. */
export interface InternalHost {
	readonly host: string;
	readonly port?: number;
}

/** Git over ssh, and the web. */
export const usualEgressPorts: readonly number[] = [22, 80, 443];

/** The destination of a connection, as a session names it. */
export interface Destination {
	/** A name or an address, in lower case, without brackets and without a dot at its end. */
	readonly host: string;
	readonly port: number;
}

/** Why a connection is refused: the kind, and a clause for the session. */
export interface EgressRefusal {
	readonly reason: "profile" | "port" | "name" | "network" | "address" | "connections";
	readonly words: string;
}

/** `public`: its addresses have to be public ones. `known`: the operator names it, so they may be private. */
export type EgressDecision = { readonly admits: "public" | "known" } | { readonly refusal: EgressRefusal };

/** Returns the destination of a `CONNECT` or of a URL; undefined when it cannot be understood. */
export function destinationOf(authority: string, usualPort?: number): Destination | undefined {
	const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(authority) ?? [];
	const host = (bracketed ?? plain ?? "").toLowerCase().replace(/\.$/, "");
	const port = digits === undefined ? usualPort : Number(digits);
	const isHost = bracketed === undefined ? host !== "" && host.length <= 253 : isIP(host) === 6;
	return isHost && isPort(port) ? { host, port } : undefined;
}

export function isPort(port: number | undefined): port is number {
	return port !== undefined && port >= 1 && port <= 65_535;
}

export function egressDecision(
	{ profile, allowed, internal, ports }: EgressRules,
	{ host, port }: Destination,
): EgressDecision {
	if (profile === "none") return refusal("profile", "this session may not reach any server");
	const named = internal.filter((entry) => isNamed(entry.host, host));
	if (ports && !ports.includes(port) && !named.some((entry) => entry.port === port))
		return refusal("port", `sessions reach the ports ${ports.join(", ")} only`);
	if (named.length > 0) return { admits: "known" };
	if (profile === "restricted" && !allowed.some((entry) => isNamed(entry, host)))
		return refusal("name", "neither the session's template nor its repositories name this server (egress_hosts)");
	return { admits: "public" };
}

function refusal(reason: EgressRefusal["reason"], words: string): EgressDecision {
	return { refusal: { reason, words } };
}

function isNamed(entry: string, host: string): boolean {
	return entry.startsWith(".") ? host.endsWith(entry) && isIP(host) === 0 : host === entry;
}
