/**
 * The contract of coding agents that sessions may use. The process that starts pods answers, because it knows which
 * agents are installed.
 */
import { defineContract } from "../bus/contract.ts";
import { schema, type Output } from "../bus/schema.ts";

/** The kinds of actions that a person may be asked to permit. */
export const askedThings = ["files", "commands", "mcp_tools"] as const;

const text = { type: "string" } as const;
const nullableText = { type: "string", nullable: true } as const;
const things = { type: "array", items: { type: "enum", values: askedThings } } as const;
const megabytes = { type: "number", integer: true, min: 0, description: "Megabytes" } as const;

const agent = schema({
	id: text,
	title: text,
	licence: { ...nullableText, description: "null: the platform's own" },
	version: { ...nullableText, description: "That the platform works with; null: the platform's own" },
	installed_version: { ...nullableText, description: "null: it is not installed, or comes with the platform" },
	install_command: { ...nullableText, description: "Typed in the platform's folder; null: it comes with the platform" },
	disk_mb: { ...megabytes, description: "Megabytes that it takes, or would" },
	memory_mb: { ...megabytes, description: "Megabytes that a pod should have for it" },
	formats: { type: "array", items: text, description: "Wire formats it speaks with models, the best first" },
	needs_model: { type: "boolean" },
	models: {
		type: "array",
		items: text,
		description: "Models of `GET /models` it can be used with, at most 200, those first that can be used now",
	},
	asks: { ...things, description: "Before what a person is asked in the permission mode `ask`" },
	sandboxes: { ...things, description: "What of that is done unasked where a sandbox of the agent's own allows it" },
	mcp: { type: "array", items: { type: "enum", values: ["stdio", "http"] }, description: "MCP servers it takes" },
	resumes: {
		type: "boolean",
		description: "After a restart it goes on with its own conversation; false: with a summary of it",
	},
	proven: { type: "boolean", description: "Every run of the platform's tests tries this very version" },
	missing: {
		type: "array",
		items: text,
		description: "Sentences: all that keeps it from being used now; none: it can be",
	},
});
export type Agent = Output<typeof agent>;

export const agents = defineContract("agents", {
	list: {
		rest: "GET /agents",
		summary: "Coding agents sessions may have, and what each of them needs",
		params: {},
		returns: { type: "array", items: { type: "object", props: agent } },
		errors: [503],
	},
});
