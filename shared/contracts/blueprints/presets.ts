/**
 * The contract of presets: what one person chooses again and again for new sessions. Nobody else sees them (decision
 * 0039).
 */
import { defineContract } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { promptBodies } from "../sessions/sessions.ts";
import {
	anyMembers,
	blueprintName,
	empty,
	groupName,
	keep,
	launchFields,
	listOfObjects,
	listOfTexts,
	none,
} from "./blueprint-fields.ts";

const time = { type: "string", format: "date-time" } as const;
const cliTool = { ...groupName, description: "The coding agent: `builtin`, `claude`, `codex`, …" } as const;

/** The members that only presets have. */
const presetFields = schema({
	cli_tool: cliTool,
	workload_type: groupName,
	terminal_sidecar: { ...anyMembers, description: "`enabled`, `allowed_commands`" },
	skills: listOfObjects,
	rules: listOfObjects,
	source: { ...anyMembers, nullable: true, description: "The `source` of a session" },
	integration_ids: listOfTexts,
	setup_scripts: listOfTexts,
});

/** A preset as clients see it. */
export const preset = schema({
	id: { type: "uuid" },
	name: blueprintName,
	...presetFields,
	...launchFields,
	created_at: time,
	updated_at: time,
});
export type Preset = Output<typeof preset>;

const { description, model, system_prompt, resource_config, mcp_servers, env_vars } = launchFields;
const { env_secret_refs, workload_config, is_default } = launchFields;
const { workload_type, terminal_sidecar, skills, rules, source, integration_ids, setup_scripts } = presetFields;

/** The members of a new preset. */
export const presetCreate = schema({
	name: blueprintName,
	description: { ...description, default: "" },
	is_default: { ...is_default, default: false, description: "At most one per `cli_tool`" },
	cli_tool: { ...cliTool, default: "" },
	workload_type: { ...workload_type, default: "session" },
	model: { ...model, optional: true },
	system_prompt: { ...system_prompt, optional: true },
	resource_config: { ...resource_config, ...none },
	mcp_servers: { ...mcp_servers, ...empty },
	terminal_sidecar: { ...terminal_sidecar, ...none },
	skills: { ...skills, ...empty },
	rules: { ...rules, ...empty },
	env_vars: { ...env_vars, ...none },
	env_secret_refs: { ...env_secret_refs, ...empty },
	source: { ...source, optional: true },
	integration_ids: { ...integration_ids, ...empty },
	setup_scripts: { ...setup_scripts, ...empty },
	workload_config: { ...workload_config, ...none },
});
export type PresetCreate = Output<typeof presetCreate>;

/** The members of a change. Only members that are present are written; null clears a member. */
export const presetUpdate = schema({
	name: { ...blueprintName, ...keep },
	description: { ...description, ...keep },
	is_default: { ...is_default, ...keep },
	cli_tool: { ...cliTool, ...keep },
	workload_type: { ...workload_type, ...keep },
	model: { ...model, ...keep },
	system_prompt: { ...system_prompt, ...keep },
	resource_config: { ...resource_config, ...keep },
	mcp_servers: { ...mcp_servers, ...keep },
	terminal_sidecar: { ...terminal_sidecar, ...keep },
	skills: { ...skills, ...keep },
	rules: { ...rules, ...keep },
	env_vars: { ...env_vars, ...keep },
	env_secret_refs: { ...env_secret_refs, ...keep },
	source: { ...source, ...keep },
	integration_ids: { ...integration_ids, ...keep },
	setup_scripts: { ...setup_scripts, ...keep },
	workload_config: { ...workload_config, ...keep },
});
export type PresetUpdate = Output<typeof presetUpdate>;

const path = { preset_id: { type: "uuid" } } as const;
const record = { type: "object", props: preset } as const;

export const presets = defineContract("presets", {
	list: {
		rest: "GET /presets",
		summary: "The caller's presets, last updated first",
		params: {
			cli_tool: { type: "string", max: 255, optional: true },
			is_default: { type: "boolean", optional: true },
			...pageParams,
		},
		returns: pageOf(record),
		errors: [400],
		paged: true,
	},
	create: {
		rest: "POST /presets",
		summary: "Create a preset",
		example: { name: "reviewer", system_prompt: "You review changes." },
		status: 201,
		params: presetCreate,
		returns: record,
		errors: [409, 503],
		max_body: promptBodies,
	},
	get: {
		rest: "GET /presets/:preset_id",
		summary: "One preset of the caller",
		params: path,
		returns: record,
		errors: [404],
	},
	update: {
		rest: "PUT /presets/:preset_id",
		summary: "Change a preset; absent members stay, null clears a member",
		params: { ...path, ...presetUpdate },
		returns: record,
		errors: [404, 409, 503],
		max_body: promptBodies,
	},
	delete: {
		rest: "DELETE /presets/:preset_id",
		summary: "Delete a preset; sessions that were created with it keep its settings",
		params: path,
		errors: [404, 503],
	},
	of_launch: {
		access: "system",
		summary: "A preset of the owner of a launch",
		params: {
			tenant: { type: "string", max: 1_000 },
			owner: { type: "string", max: 1_000 },
			preset_id: { type: "uuid" },
		},
		returns: { type: "object", props: { preset: { ...record, optional: true } } },
		idempotent: true,
	},
});
