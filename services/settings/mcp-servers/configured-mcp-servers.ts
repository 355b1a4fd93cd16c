/** Offers the MCP servers of the configuration. */
import { isAllowed } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { ConfigError } from "#shared/config/config.ts";
import type { McpServerFields } from "#shared/config/fields/mcp-server-fields.ts";
import type { ListedMcpServer } from "#shared/contracts/settings/mcp-servers.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { maskedMcpServer } from "#shared/base/secrets/masked-mcp-server.ts";

export class ConfiguredMcpServers {
	readonly #servers: readonly ListedMcpServer[];
	readonly #operators: string;

	/**
	 * @param operators The tenant of the operators, who may see the values of variables and headers.
	 * @throws {ConfigError} for a name that two servers have, and for a server without what its type needs.
	 */
	constructor(servers: readonly McpServerFields[], operators: string) {
		this.#operators = operators;
		for (const [index, { name }] of servers.entries()) {
			if (servers.findIndex((other) => other.name === name) !== index)
				throw new ConfigError(`Configuration key "mcp_servers" cannot have two servers with the name "${name}"`);
		}
		this.#servers = servers.map(listed);
	}

	seenBy(principal: Principal): ListedMcpServer[] {
		const maySee = isAllowed(principal, "see-secrets", "installation", { operators: this.#operators });
		return maySee ? [...this.#servers] : this.#servers.map(maskedMcpServer);
	}

	/** Returns one server as the principal sees it. @throws {NotFoundError} */
	one(principal: Principal, name: string): ListedMcpServer {
		const found = this.seenBy(principal).find((server) => server.name === name);
		if (!found) throw new NotFoundError(`MCP server "${name}" does not exist`, "MCP_SERVER_NOT_FOUND");
		return found;
	}
}

function listed(server: McpServerFields): ListedMcpServer {
	const { name, type, command = null, url = null, args, description, env, headers } = server;
	const lacking = type === "stdio" ? (command === null ? "command" : "") : url === null ? "url" : "";
	if (lacking !== "")
		throw new ConfigError(`Configuration key "mcp_servers": "${name}" has the type "${type}" and lacks "${lacking}"`);
	return { name, type, command, url, args, description, env, headers };
}
