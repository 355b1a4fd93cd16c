/**
 * Masks a template for callers who do not administer the platform: they see the names of variables and headers, not the
 * values. Pure.
 */
import type { Template } from "#shared/contracts/templates.ts";
import { maskedMcpServer } from "#shared/base/secrets/masked-mcp-server.ts";
import { maskedValues } from "#shared/base/secrets/masked-values.ts";

/** Returns the masked copy, because headers and environments often contain tokens. */
export function maskedTemplate(template: Template): Template {
	const { env_vars, mcp_servers } = template;
	return { ...template, env_vars: maskedValues(env_vars), mcp_servers: mcp_servers.map(maskedMcpServer) };
}
