/** MCP servers as the Agent Client Protocol names them, and which of them an agent can take. Pure. */
import type { McpServer } from "#shared/pod/launch.ts";
import { isJsonObject, type JsonObject } from "../../io/json-object.ts";

/** By its record. */
export type McpSupport = "both" | "http" | "stdio" | "none";

export interface SplitServers {
	taken: object[];
	/** Names of those it cannot use. */
	left: string[];
}

/** @param capabilities What the agent says of itself: HTTP is only for those that offer it. */
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
		left: servers.filter((server) => !usable(server)).map(({ name, type }) => `${name} (${type})`),
	};
}

function written({ name, type, command, args, env, url, headers }: McpServer): object {
	return type === "http" ? { type, name, url, headers: pairs(headers) } : { name, command, args, env: pairs(env) };
}

function pairs(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
	return Object.entries(record).map(([name, value]) => ({ name, value }));
}
