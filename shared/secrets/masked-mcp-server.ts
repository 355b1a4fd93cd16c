/**
 * Masks an MCP server for callers who do not administer the platform: they see the names of variables and headers, not
 * the values. Pure.
 */
import { withoutUserinfo } from "../git/repository-url.ts";
import { maskedValues } from "./masked-values.ts";

/** Returns the masked copy. Members may have any type, because templates accept any member. */
export function maskedMcpServer<S extends { env?: unknown; headers?: unknown; url?: unknown }>(server: S) {
	const { headers, env, url } = server;
	return {
		...server,
		...(headers !== undefined && { headers: maskedValues(headers) }),
		...(env !== undefined && { env: maskedValues(env) }),
		...(typeof url === "string" && { url: withoutUserinfo(url) }),
	};
}
