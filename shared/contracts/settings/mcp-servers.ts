/**
 * The contract of MCP servers: those of the configuration, which clients offer for presets and profiles. Callers who do
 * not administer the platform see `***` instead of values of variables and headers.
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { nullableText, text, textMap, texts } from "../field-rules.ts";

export const mcpServer = schema({
	name: text,
	type: { ...text, description: "`stdio`, `sse` or `http`" },
	command: nullableText,
	url: nullableText,
	args: texts,
	description: text,
	env: textMap,
	headers: textMap,
});
export type ListedMcpServer = Output<typeof mcpServer>;

const serverRecord = { type: "object", props: mcpServer } as const;

export const mcpServers = defineContract("mcp-servers", {
	list: {
		rest: "GET /mcp-servers",
		summary: "The MCP servers of the configuration, by name",
		params: pageParams,
		...pageOf(serverRecord),
		errors: [400],
	},
	get: {
		rest: "GET /mcp-servers/:name",
		summary: "One MCP server of the configuration",
		params: { name: { type: "string", min: 1, max: 255 } },
		returns: serverRecord,
		errors: [404],
	},
});
