/** Which headers pass the proxy, and the one place where the provider's key is shown. Pure. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { headerList } from "#shared/header-list.ts";
import type { ModelWire } from "#shared/models/model-wire.ts";

/** RFC 9110 7.6.1, and what belongs to one of the two connections. */
const hopByHop = [
	"connection",
	"keep-alive",
	"proxy-authenticate",
	"proxy-authorization",
	"proxy-connection",
	"te",
	"trailer",
	"transfer-encoding",
	"upgrade",
	"expect",
	"host",
	"content-length",
];
/** What a caller shows is its own token. */
const credentials = ["authorization", "x-api-key", "x-goog-api-key", "cookie"];
const notSent = new Set([...hopByHop, ...credentials, "accept-encoding", "origin", "referer"]);
const notReturned = new Set([...hopByHop, "set-cookie", "content-encoding", "alt-svc"]);

/** @param key Empty: the provider wants none. */
export function providerHeaders(headers: IncomingHttpHeaders, wire: ModelWire, key: string): OutgoingHttpHeaders {
	const named = new Set(headerList(headers.connection?.toLowerCase() ?? ""));
	const passed = Object.entries(headers).filter(([name]) => !notSent.has(name) && !named.has(name));
	// The usage has to be read.
	return { ...Object.fromEntries(passed), "accept-encoding": "identity", ...(key !== "" && keyHeader(wire, key)) };
}

/** @param tellsSecret A header that does, because the provider repeats it, is left out. */
export function callerHeaders(
	headers: IncomingHttpHeaders,
	tellsSecret: (text: string) => boolean,
): OutgoingHttpHeaders {
	const entries = Object.entries(headers);
	return Object.fromEntries(entries.filter(([name, value]) => !notReturned.has(name) && !tellsSecret(String(value))));
}

function keyHeader(wire: ModelWire, key: string): OutgoingHttpHeaders {
	if (wire === "anthropic") return { "x-api-key": key };
	return wire === "gemini" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}
