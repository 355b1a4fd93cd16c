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
	changesOf,
	empty,
	groupName,
	launchFields,
	listOfObjects,
	listOfTexts,
	newLaunchFields,
} from "./blueprint-fields.ts";
import { time } from "../field-rules.ts";

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

export const preset = schema({
	id: { type: "uuid" },
	name: blueprintName,
	...presetFields,
	...launchFields,
	created_at: time,
	updated_at: time,
});
export type Preset = Output<typeof preset>;

const { workload_type, terminal_sidecar, skills, rules, source, integration_ids, setup_scripts } = presetFields;

export const presetCreate = schema({
	name: blueprintName,
	...newLaunchFields,
	is_default: { ...newLaunchFields.is_default, description: "At most one per `cli_tool`" },
	cli_tool: { ...cliTool, default: "" },
	workload_type: { ...workload_type, default: "session" },
	terminal_sidecar: { ...terminal_sidecar, default: {} },
	skills: { ...skills, ...empty },
	rules: { ...rules, ...empty },
	source: { ...source, optional: true },
	integration_ids: { ...integration_ids, ...empty },
	setup_scripts: { ...setup_scripts, ...empty },
});
export type PresetCreate = Output<typeof presetCreate>;

/** The members of a change. Only members that are present are written; null clears a member. */
export const presetUpdate = changesOf({ name: blueprintName, ...presetFields, ...launchFields });
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
		...pageOf(record),
		errors: [400],
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
