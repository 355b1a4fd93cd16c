/** The fields of a coding agent's record in `config/agents` (docs/choosing-an-agent.md). */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { askedThings } from "#shared/contracts/agents.ts";
import { count, freeForm, textMap } from "#shared/contracts/field-rules.ts";

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
	package: { ...text, description: "npm package; its package.json and package-lock.json are in `config/agents/<id>/`" },
	version: { ...text, pattern: "^\\d+\\.\\d+\\.\\d+$" },
	size_mb: { type: "number", integer: true, min: 1, description: "Size of the installation on disk" },
	licence: text,
	entry: {
		...text,
		description: "File of the installation that is started; its presence shows that the installation is complete",
	},
	scripts: { type: "boolean", default: false, description: "Whether its packages' install scripts have to run" },
});
export type InstallRecipe = Output<typeof installFields>;

export const agentFields = schema({
	id: { type: "string", pattern: "^[a-z0-9][a-z0-9-]{0,39}$" },
	title: text,
	command: { type: "array", items: text, min: 1, max: 50, description: "Program and arguments" },
	env: {
		...freeForm,
		default: {},
		description: "Variables beside the allowed ones: text, or a map that is written as JSON. Empty ones are omitted",
	},
	files: {
		type: "array",
		max: 20,
		items: {
			type: "object",
			props: { path: place, format: { type: "enum", values: ["json", "toml"] }, content: { type: "any" } },
		},
		default: [],
		description: "Files that are written into the home before each start",
	},
	keeps: {
		type: "array",
		max: 20,
		items: place,
		default: [],
		description: "Folders of the home that outlive the pod, so that a conversation can be continued",
	},
	permission_files: {
		type: "array",
		max: 20,
		items: { ...place, description: "Path below a folder of the workspace" },
		default: [],
		description:
			"Files of the workspace in which it keeps what it was permitted for ever. New ones are in no diff and no pull request",
	},
	wires: {
		type: "record",
		key: { type: "string" },
		value: textMap,
		default: {},
		description:
			"Wire formats that it supports, the best first; each with the record's own placeholders, `{wire:<name>}`",
	},
	needs_model: { type: "boolean", default: true },
	own_model: {
		type: "boolean",
		default: true,
		description:
			"Whether it can answer questions in a session without a model, so that it is asked for the summary at the end",
	},
	modes: {
		type: "object",
		optional: true,
		props: { ask: mode, auto: mode },
		description: "Modes of the agent by the session's permission mode",
	},
	changes_mode: {
		type: "boolean",
		default: true,
		description: "Whether it takes a change of its mode after its first turn; otherwise its modes are not offered",
	},
	mode_outputs: {
		type: "record",
		key: { type: "string" },
		value: { type: "string", min: 8, max: 100 },
		default: {},
		description:
			"Beginnings of tool outputs by which it tells a mode that it has entered by itself, by mode, if it tells that in no other way",
	},
	asks: {
		type: "array",
		items: { type: "enum", values: askedThings },
		max: askedThings.length,
		description: "Kinds of actions before which it asks for permission in the permission mode `ask`",
	},
	sandboxes: {
		type: "array",
		items: { type: "enum", values: askedThings },
		max: askedThings.length,
		optional: true,
		description: "Those of these actions that it takes without asking when its own sandbox allows them",
	},
	usage: {
		type: "enum",
		values: ["turn-sum", "last-call", "cumulative", "none"],
		default: "none",
		description: "Meaning of the token counts that it reports itself; used only when no proxy meters",
	},
	mcp: { type: "enum", values: ["both", "http", "stdio", "none"], default: "both" },
	loads: { type: "boolean", default: true, description: "Whether its `session/load`, if it offers that, is reliable" },
	end_signal: {
		type: "enum",
		values: ["none", "SIGTERM", "SIGINT"],
		default: "none",
		description: "Signal that is sent with the end of its input, for agents that ignore the latter",
	},
	chatter: {
		type: "string",
		max: 100,
		default: "",
		description: "Text in lines of its standard error that only help its developers; they are logged as DEBUG",
	},
	late_update_ms: {
		...count,
		max: 5_000,
		default: 300,
		description: "Milliseconds after a turn's answer in which its last updates may arrive",
	},
	memory_mb: {
		type: "number",
		integer: true,
		min: 1,
		description: "Megabytes of memory that a pod should have for it, beside the repository's tools",
	},
	proven: {
		type: "boolean",
		default: false,
		description: "Whether exactly this version has passed every row of the table in docs/choosing-an-agent.md",
	},
	install: {
		type: "object",
		optional: true,
		props: installFields,
		description: "Its installation; absent: it comes with the platform",
	},
});
/** A record as it is written, with placeholders like `{model_url}` that are replaced when the agent is started. */
export type WrittenAgent = Output<typeof agentFields>;
