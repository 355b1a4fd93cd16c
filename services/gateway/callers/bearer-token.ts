/** Reads the token of an `Authorization` header (RFC 6750 section 2.1), the only place where tokens are read. */
import type { IncomingHttpHeaders } from "node:http";

/** Returns the token; undefined without the header; empty when the header contains anything but one bearer token. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
	if (authorization === undefined) return undefined;
	return /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1] ?? "";
}
