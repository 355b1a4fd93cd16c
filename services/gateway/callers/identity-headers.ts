/**
 * Removes what senders claim about themselves in headers. Only the identity that is configured to believe a proxy reads
 * such headers, before they are removed; nothing behind the authentication sees any.
 */
import type { IncomingHttpHeaders } from "node:http";

/** The headers with which proxies forward an identity. */
const names =
	/^(?:x-auth-|x-user-|x-remote-|remote-|x-forwarded-(?:user|email|groups|preferred-username|access-token|client-cert)|x-client-cert|x-ssl-client-)/;

export function stripIdentityHeaders(headers: IncomingHttpHeaders): void {
	for (const name of Object.keys(headers)) if (names.test(name)) delete headers[name];
}
