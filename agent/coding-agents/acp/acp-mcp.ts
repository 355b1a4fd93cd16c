/** MCP servers in the form of the Agent Client Protocol, and which of them an agent can use. Pure. */
import type { LaunchDocument, McpServer } from "#shared/wire/pod/launch.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";

/** The transports that an agent supports, as its record says. */
export type McpSupport = "both" | "http" | "stdio" | "none";

/** The servers of a session, divided by whether the agent can use them. */
export interface SplitServers {
	taken: object[];
	/** The names of the servers that the agent cannot use. */
	unusable: string[];
}

/** Returns the servers of the launch. One of a connection replaces another one of its name, because it has a credential. */
export function mcpServersOf({ mcp_servers, secrets }: Pick<LaunchDocument, "mcp_servers" | "secrets">): McpServer[] {
	const own = (secrets?.mcp_servers ?? []).map(
		(server): McpServer => ({ ...server, type: "stdio", url: "", headers: {} }),
	);
	return [...mcp_servers.filter(({ name }) => !own.some((other) => other.name === name)), ...own];
}

/** @param capabilities The agent's answer to `initialize`. Only an agent that offers HTTP gets HTTP servers. */
export function splitMcpServers(
	servers: readonly McpServer[],
	support: McpSupport,
	capabilities: JsonObject,
): SplitServers {
	const { mcpCapabilities: offered } = capabilities;
	const hasHttp = isJsonObject(offered) && offered["http"] === true;
	const can = { http: hasHttp && support !== "stdio", stdio: support !== "http" };
	const usable = (server: McpServer): boolean => support !== "none" && can[server.type];
	return {
		taken: servers.filter(usable).map(written),
		unusable: servers.filter((server) => !usable(server)).map(({ name, type }) => `${name} (${type})`),
	};
}

function written({ name, type, command, args, env, url, headers }: McpServer): object {
	return type === "http" ? { type, name, url, headers: pairs(headers) } : { name, command, args, env: pairs(env) };
}

function pairs(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
	return Object.entries(record).map(([name, value]) => ({ name, value }));
}
