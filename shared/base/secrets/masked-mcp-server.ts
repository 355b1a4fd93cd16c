/**
 * Masks an MCP server for callers who do not administer the platform: they see the names of variables and headers, not
 * the values. Pure.
 */
import { maskedValues } from "./masked-values.ts";

/** Returns the masked copy. Members may have any type, because templates accept any member. */
export function maskedMcpServer<S extends { env?: unknown; headers?: unknown; url?: unknown }>(server: S) {
	const { headers, env, url } = server;
	return {
		...server,
		...(headers !== undefined && { headers: maskedValues(headers) }),
		...(env !== undefined && { env: maskedValues(env) }),
		...(typeof url === "string" && { url: withoutSecrets(url) }),
	};
}

/** The user part of a URL as programs read it: it may have blanks and quotation marks, and ends before the path. */
const userPart = /^(\s*\w[\w+.-]*:[\\/]*)[^\\/?#]*@/;
/** The same for a URL that no program can read, for example because a password has a slash: everything up to the last `@`. */
const possibleUserPart = /^(\s*\w[\w+.-]*:[\\/]*)?.*@/s;

/** The value of each member of a query, which may be a token. */
const queryValues = /([?&][^=&#]*=)[^&#]+/g;

function withoutSecrets(url: string): string {
	return url.replace(URL.canParse(url) ? userPart : possibleUserPart, "$1").replace(queryValues, "$1***");
}
