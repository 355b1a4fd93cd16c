/**
 * Decides whether the MCP server of a definition serves a connection and a session. A server that speaks to one host only is no use
 * elsewhere, and must not get a credential that belongs to another host. Pure.
 */
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";

/** The members of a session that decide which of its owner's connections it gets. */
export interface ServedSession {
	/** The URLs of its repositories. */
	readonly repositories: readonly string[];
	/** Whether the session names its connections. */
	readonly names: boolean;
}

/**
 * Whether the server serves. Servers of git hosts serve sessions with a repository at the host, and sessions that name the
 * connection; all others serve every session of the person.
 */
export function serves(
	{ integration_type, mcp_server }: Pick<IntegrationDefinition, "integration_type" | "mcp_server">,
	config: Readonly<Record<string, string>>,
	{ repositories, names }: ServedSession,
): boolean {
	const { host = "", config_key = "" } = mcp_server ?? {};
	if (host === "") return mcp_server !== undefined;
	const own = Object.hasOwn(config, config_key) ? config[config_key] : undefined;
	if (own && !isAt(own, host)) return false;
	return integration_type !== "source_control" || names || repositories.some((url) => isAt(url, host));
}

/** Whether the URL of a server or a repository is at a host, or below it, such as `api.github.com` at `github.com`. */
function isAt(url: string, host: string): boolean {
	const [place = ""] = repositoryKey(url).split("/");
	const name = place.replace(/:\d+$/, "");
	return name === host || name.endsWith(`.${host}`);
}
