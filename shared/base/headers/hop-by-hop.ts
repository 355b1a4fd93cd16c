/** Headers of one connection, which nobody passes on to the next (RFC 9110, section 7.6.1). Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { headerList } from "./header-list.ts";

/** Their names, with those of the framing of a message, which Node.js chooses anew for each connection. */
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
];

/** Returns the headers without those, and without the ones that `Connection` names. */
export function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
	const left = new Set([...hopByHop, ...headerList(headers.connection?.toLowerCase() ?? "")]);
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name)));
}
