/**
 * Masks a template for callers who do not administer the platform: they see the names of variables and headers, not the
 * values. Pure.
 */
import type { Template } from "#shared/contracts/templates.ts";
import { withoutUserinfo } from "#shared/git/repository-url.ts";

const mask = "***";

/** Returns the masked copy, because headers and environments often contain tokens. */
export function maskedTemplate(template: Template): Template {
	const { env_vars, mcp_servers } = template;
	return { ...template, env_vars: maskedValues(env_vars), mcp_servers: mcp_servers.map(maskedServer) };
}

function maskedServer(server: Template["mcp_servers"][number]): Template["mcp_servers"][number] {
	const { headers, env, url } = server;
	return {
		...server,
		...(headers !== undefined && { headers: maskedValues(headers) }),
		...(env !== undefined && { env: maskedValues(env) }),
		...(typeof url === "string" && { url: withoutUserinfo(url) }),
	};
}

/** Masks the values of a map; anything else is masked as a whole. */
function maskedValues<T>(values: T): Record<string, string> {
	const names = typeof values === "object" && values !== null && !Array.isArray(values) ? Object.keys(values) : [];
	return Object.fromEntries(names.map((name) => [name, mask]));
}
