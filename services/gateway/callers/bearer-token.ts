/** Reads the token of an `Authorization` header (RFC 6750 section 2.1), the only place where tokens are read. */
import type { IncomingHttpHeaders } from "node:http";
import type { Ends } from "../http/connection-rows.ts";

interface ReadHeader {
	readonly authorization: string;
	readonly token: string;
}

/**
 * The headers that are remembered, by their length in characters; an open connection has one at most. Shorter ones are
 * those of shared secrets, which cost little to read: only code that takes the same time for every guess compares them.
 */
const minRemembered = 256;
const maxRemembered = 2_048;

/**
 * The last header of each connection. A program sends the same one with each request, and a text that is the same object
 * as before is found in a table without reading it again.
 */
const lastHeaders = new WeakMap<Ends, ReadHeader>();

/** Returns the token; undefined without the header; empty when the header contains anything but one bearer token. */
export function bearerToken({ authorization }: IncomingHttpHeaders, connection: Ends): string | undefined {
	if (authorization === undefined) return undefined;
	const { length } = authorization;
	if (length < minRemembered || length > maxRemembered) return tokenIn(authorization);
	const last = lastHeaders.get(connection);
	if (last?.authorization === authorization) return last.token;
	const token = tokenIn(authorization);
	lastHeaders.set(connection, { authorization, token });
	return token;
}

function tokenIn(authorization: string): string {
	return /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1] ?? "";
}
