/** Offers the MCP servers of the configuration on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { mcpServers as contract } from "#shared/contracts/settings/mcp-servers.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import type { ConfiguredMcpServers } from "./mcp-servers/configured-mcp-servers.ts";

export function mcpServersService(servers: ConfiguredMcpServers): ServiceSchema {
	return serviceOf(contract, {
		list: async (page, principal, { meta: { if_none_match: known } }) =>
			memoryPage(servers.seenBy(principal), ({ name }) => ({ value: name, id: name }), { ...page, known }),

		get: async ({ name }, principal) => servers.one(principal, name),
	});
}
