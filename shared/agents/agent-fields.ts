/** The fields of a coding agent's record in `config/agents` (docs/choosing-an-agent.md). */
import { type Output, schema } from "../bus/schema.ts";
import { askedThings } from "../contracts/agents.ts";

const text = { type: "string", min: 1, max: 2_000 } as const;
const place = {
	...text,
	pattern: "^(?!/)(?!.*\\.\\.)[\\w./@+-]+$",
	description: "Path below the agent's home",
} as const;
const mode = {
	type: "string",
	max: 100,
	default: "",
	description: "Id of the agent's own mode; empty: as it starts",
} as const;

const installFields = schema({
	package: { ...text, description: "npm package; `config/agents/<id>/` holds its package.json and package-lock.json" },
	version: { ...text, pattern: "^\\d+\\.\\d+\\.\\d+$" },
	size_mb: { type: "number", integer: true, min: 1, description: "On disk, installed" },
	licence: text,
	entry: { ...text, description: "File of the installation that is started, by which one is known to be whole" },
	scripts: { type: "boolean", default: false, description: "Its packages' own install scripts have to run" },
});
export type InstallRecipe = Output<typeof installFields>;

export const agentFields = schema({
	id: { type: "string", pattern: "^[a-z0-9][a-z0-9-]{0,39}$" },
	title: text,
	command: { type: "array", items: text, min: 1, max: 50, description: "Program and arguments" },
	env: {
		type: "record",
		key: { type: "string" },
		value: { type: "any" },
		default: {},
		description:
			"Variables beside the allowed ones: text, or a map that is written as JSON. What stays empty is left out",
	},
	files: {
		type: "array",
		max: 20,
		items: {
			type: "object",
			props: { path: place, format: { type: "enum", values: ["json", "toml"] }, content: { type: "any" } },
		},
		default: [],
		description: "Written into the home before each start",
	},
	folders: {
		type: "array",
		max: 20,
		items: place,
		default: [],
		description: "Made in the home before each start",
	},
	keeps: {
		type: "array",
		max: 20,
		items: place,
		default: [],
		description: "Folders of the home that outlive the pod, so that a conversation can be taken up again",
	},
	wires: {
		type: "record",
		key: { type: "string" },
		value: { type: "record", key: { type: "string" }, value: { type: "string" } },
		default: {},
		description: "Wire formats it can speak, the best first; each with places of the record's own, `{wire:<name>}`",
	},
	needs_model: { type: "boolean", default: true },
	own_model: {
		type: "boolean",
		default: true,
		description: "It can answer questions in a session that has no model, so it is asked for the summary at the end",
	},
	modes: {
		type: "object",
		optional: true,
		props: { ask: mode, auto: mode },
		description: "By the session's permission mode",
	},
	asks: {
		type: "array",
		items: { type: "enum", values: askedThings },
		max: askedThings.length,
		description: "What it asks to be allowed before it does it, with the permission mode `ask`",
	},
	sandboxes: {
		type: "array",
		items: { type: "enum", values: askedThings },
		max: askedThings.length,
		optional: true,
		description: "What of that it does unasked all the same, where a sandbox of its own allows it",
	},
	usage: {
		type: "enum",
		values: ["turn-sum", "last-call", "cumulative", "none"],
		default: "none",
		description: "What the token numbers mean that it tells by itself; only of use where no proxy meters",
	},
	mcp: { type: "enum", values: ["both", "http", "stdio", "none"], default: "both" },
	loads: { type: "boolean", default: true, description: "Its `session/load`, where it offers one, can be relied on" },
	end_signal: {
		type: "enum",
		values: ["none", "SIGTERM", "SIGINT"],
		default: "none",
		description: "Sent together with the end of its input, for agents that do not heed that",
	},
	chatter: {
		type: "string",
		max: 100,
		default: "",
		description:
			"Part of those lines of its standard error that are of use to its makers only: they are logged as DEBUG",
	},
	late_update_ms: {
		type: "number",
		integer: true,
		min: 0,
		max: 5_000,
		default: 300,
		description: "How long after a turn's answer its last updates may still come",
	},
	memory_mb: {
		type: "number",
		integer: true,
		min: 1,
		description: "What a pod should have for it, beside the repository's tools",
	},
	proven: {
		type: "boolean",
		default: false,
		description: "Every row of the table in docs/choosing-an-agent.md was passed by this very version",
	},
	install: { type: "object", optional: true, props: installFields, description: "Absent: it comes with the platform" },
});
/** A record as it is written, with placeholders like `{model_url}` that are replaced when the agent is started. */
export type WrittenAgent = Output<typeof agentFields>;
