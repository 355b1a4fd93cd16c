/** The rules of presets: their members and their changes. Pure. */
import type { Preset, PresetCreate, PresetUpdate } from "#shared/contracts/blueprints/presets.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";
import { variableFaults } from "#shared/wire/pod/variable-name.ts";
import { presetCollection } from "../owned/blueprint-collection.ts";
import type { BlueprintKind } from "../owned/blueprint-kind.ts";
import { refuseWorkload } from "../owned/workload-faults.ts";

export const presetKind: BlueprintKind<Preset> = {
	noun: "Preset",
	collection: presetCollection,
	groupOf: ({ cli_tool }) => cli_tool,
	key: "id",
	refuse: refusePreset,
};

/** The members that null clears, with what they are then. */
const cleared = {
	description: "",
	is_default: false,
	cli_tool: "",
	workload_type: "session",
	model: null,
	system_prompt: null,
	resource_config: {},
	mcp_servers: [],
	terminal_sidecar: {},
	skills: [],
	rules: [],
	env_vars: {},
	env_secret_refs: [],
	source: null,
	integration_ids: [],
	setup_scripts: [],
	workload_config: {},
} satisfies Omit<Preset, "id" | "name" | "created_at" | "updated_at">;

export function newPreset(request: PresetCreate, id: string, at: string): Preset {
	const { model = null, system_prompt = null, source = null, ...members } = request;
	return { id, ...members, model, system_prompt, source, created_at: at, updated_at: at };
}

/**
 * Returns the preset after a change: members that are present are written, and null clears them.
 * @throws {InvalidParametersError} for the name null.
 */
export function changedPreset(preset: Preset, update: PresetUpdate, at: string): Preset {
	if (update.name === null)
		throw new InvalidParametersError([{ type: "required", path: ["name"], message: "A preset needs a name" }]);
	const written = Object.entries({ ...update, ...clearedBy(update) }).filter(([, value]) => value !== undefined);
	return { ...preset, ...Object.fromEntries(written), updated_at: at };
}

/** Refuses a preset with values that no session could be started with. @throws {InvalidParametersError} naming them. */
function refusePreset({ env_vars, workload_config }: Preset): void {
	refuseWorkload(workload_config);
	const faults = variableFaults(env_vars);
	if (faults.length > 0)
		throw new InvalidParametersError(faults.map((message) => ({ type: "value", path: ["env_vars"], message })));
}

function clearedBy(update: PresetUpdate): Partial<typeof cleared> {
	return Object.fromEntries(
		Object.entries(cleared).filter(([member]) => update[member as keyof PresetUpdate] === null),
	);
}
