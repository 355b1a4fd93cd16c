/**
 * The contract of coding agents that sessions may use. The process that starts pods answers, because it knows which
 * agents are installed.
 */
import { defineContract } from "./contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "./page-fields.ts";
import { count, nullableText, text, texts } from "./field-rules.ts";

/** The kinds of actions that a person may be asked to permit. */
export const askedThings = ["files", "commands", "mcp_tools"] as const;

const things = { type: "array", items: { type: "enum", values: askedThings } } as const;
const megabytes = { ...count, description: "Megabytes" } as const;

const agent = schema({
	id: text,
	title: text,
	licence: { ...nullableText, description: "null: the platform's own" },
	version: { ...nullableText, description: "Version that the platform works with; null: the platform's own" },
	installed_version: { ...nullableText, description: "null: it is not installed, or comes with the platform" },
	install_command: {
		...nullableText,
		description: "Command in the platform's folder; null: it comes with the platform",
	},
	disk_mb: { ...megabytes, description: "Megabytes of its installation, whether installed or not" },
	memory_mb: { ...megabytes, description: "Megabytes of memory that a pod should have for it" },
	formats: { type: "array", items: text, description: "Wire formats that it supports, the best first" },
	needs_model: { type: "boolean" },
	models: {
		...texts,
		description: "Models of `GET /models` that it can use, at most 200; those that can be used now come first",
	},
	asks: { ...things, description: "Kinds of actions before which a person is asked in the permission mode `ask`" },
	sandboxes: {
		...things,
		description: "Those of these actions that happen without a question when the agent's own sandbox allows them",
	},
	mcp: {
		type: "array",
		items: { type: "enum", values: ["stdio", "http"] },
		description: "Kinds of MCP servers that it accepts",
	},
	resumes: {
		type: "boolean",
		description: "Whether it continues its own conversation after a restart; false: it gets a summary",
	},
	proven: { type: "boolean", description: "Whether every run of the platform's tests uses this version" },
	missing: { ...texts, description: "Sentences about everything that prevents its use now; none: it can be used" },
});
export type Agent = Output<typeof agent>;

export const agents = defineContract("agents", {
	list: {
		rest: "GET /agents",
		summary: "Coding agents that sessions may use, with their requirements",
		params: pageParams,
		...pageOf({ type: "object", props: agent }),
		errors: [503],
	},
});
