/** The form of one MCP server in the configuration. */
import { type Output, schema } from "#shared/base/schema/schema.ts";

const text = { type: "string", max: 10_000 } as const;
const texts = { type: "record", key: { type: "string" }, value: text, default: {} } as const;

export const mcpServerFields = schema({
	name: { type: "string", min: 1, max: 255 },
	type: { type: "enum", values: ["stdio", "sse", "http"] },
	/** The program of a server of type `stdio`. */
	command: { ...text, optional: true },
	args: { type: "array", items: text, default: [] },
	/** The address of a server of another type. */
	url: { ...text, optional: true },
	env: texts,
	headers: texts,
	description: { ...text, default: "" },
});
export type McpServerFields = Output<typeof mcpServerFields>;
