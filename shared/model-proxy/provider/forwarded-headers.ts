/** Decides which headers pass the proxy, and adds the provider's key. Pure. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { endToEndHeaders } from "#shared/base/headers/hop-by-hop.ts";
import { refusalHeader } from "../proxy-error.ts";
import type { ModelWire } from "#shared/wire/models/model-wire.ts";

/** They belong to one of the two messages, beside those of its connection. */
const ofMessage = ["host", "content-length"];
/** The headers in which a caller shows its token. */
const credentials = ["authorization", "x-api-key", "x-goog-api-key", "cookie"];
const notSent = new Set([...ofMessage, ...credentials, "accept-encoding", "origin", "referer"]);
const notReturned = new Set([...ofMessage, "set-cookie", "content-encoding", "alt-svc", refusalHeader]);

/** @param key The provider's key; empty when the provider needs none. */
export function providerHeaders(headers: IncomingHttpHeaders, wire: ModelWire, key: string): OutgoingHttpHeaders {
	const passed = Object.entries(endToEndHeaders(headers)).filter(([name]) => !notSent.has(name));
	// The usage has to be readable, so the response should not be compressed.
	return { ...Object.fromEntries(passed), "accept-encoding": "identity", ...(key !== "" && keyHeader(wire, key)) };
}

/** @param tellsSecret Tells whether a header repeats a secret; such a header is removed. */
export function callerHeaders(
	headers: IncomingHttpHeaders,
	tellsSecret: (text: string) => boolean,
): OutgoingHttpHeaders {
	const entries = Object.entries(endToEndHeaders(headers));
	return Object.fromEntries(entries.filter(([name, value]) => !notReturned.has(name) && !tellsSecret(String(value))));
}

function keyHeader(wire: ModelWire, key: string): OutgoingHttpHeaders {
	if (wire === "anthropic") return { "x-api-key": key };
	return wire === "gemini" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}
