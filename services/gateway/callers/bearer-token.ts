/** The token in an `Authorization` header (RFC 6750 section 2.1); nowhere else in a request is one looked for. */
import type { IncomingHttpHeaders } from "node:http";

/** Undefined without the header; empty when the header holds anything but one bearer token. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
	if (authorization === undefined) return undefined;
	return /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1] ?? "";
}
