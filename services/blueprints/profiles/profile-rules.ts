/** The rules of profiles: their members, their changes, and the values that are refused. Pure. */
import type { Profile, ProfileCreate, ProfileUpdate } from "#shared/contracts/blueprints/profiles.ts";
import { BadRequestError } from "#shared/base/errors.ts";
import { givenMembers } from "#shared/base/given-members.ts";
import { variableFaults } from "#shared/wire/pod/variable-name.ts";
import { profileCollection } from "../owned/blueprint-collection.ts";
import type { BlueprintKind } from "../owned/blueprint-kind.ts";
import { refuseWorkload } from "../owned/workload-faults.ts";

export const profileKind: BlueprintKind<Profile> = {
	noun: "Profile",
	collection: profileCollection,
	groupOf: ({ workload_type }) => workload_type,
	key: "name",
	refuse: refuseProfile,
};

export function newProfile({ model = null, system_prompt = null, ...members }: ProfileCreate): Profile {
	return { ...members, model, system_prompt };
}

export function changedProfile(profile: Profile, update: ProfileUpdate): Profile {
	return { ...profile, ...givenMembers(update) };
}

/**
 * Refuses a profile with values that no session could be started with. @throws {BadRequestError} naming all of them.
 * @throws {InvalidParametersError} for those of its `workload_config`, as a session's own body is refused.
 */
function refuseProfile({ model, resource_config, mcp_servers, workload_config, env_vars }: Profile): void {
	refuseWorkload(workload_config);
	const faults = [
		...resourceFaults(resource_config),
		...(model !== null && model.trim() === "" ? ["model must not be blank"] : []),
		...mcp_servers.flatMap(({ name, type }, index) =>
			typeof type === "string" && type !== "" ? [] : [`MCP server ${nameOf(name, index)} needs a type`],
		),
		...(isBlank(workload_config["image"]) ? ["workload_config.image must not be blank"] : []),
		...variableFaults(env_vars),
	];
	if (faults.length > 0) throw new BadRequestError(faults.join("; "), "PROFILE_REFUSED");
}

function nameOf(name: unknown, index: number): string {
	return typeof name === "string" && name !== "" ? `"${name}"` : String(index + 1);
}

function isBlank(value: unknown): boolean {
	return typeof value === "string" && value.trim() === "";
}

const memorySize = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti)$/;

/** The least and the most of each unit of memory. */
const memoryBounds: Readonly<Record<string, readonly [number, number]>> = {
	Ki: [524_288, 67_108_864],
	Mi: [512, 65_536],
	Gi: [0.5, 64],
	Ti: [0.0005, 64],
};

function resourceFaults({ cpu, memory, gpu }: Record<string, unknown>): string[] {
	return [numberFault("cpu", cpu, 0.5, 16), memoryFault(memory), numberFault("gpu", gpu, 0, 4)].filter(
		(fault) => fault !== undefined,
	);
}

function numberFault(name: string, value: unknown, least: number, most: number): string | undefined {
	if (value === undefined || value === null) return undefined;
	const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
	if (typeof number === "number" && number >= least && number <= most) return undefined;
	return `${name} must be a number from ${least} to ${most}`;
}

function memoryFault(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	const [, amount, unit = ""] = memorySize.exec(typeof value === "string" ? value : "") ?? [];
	const bounds = memoryBounds[unit];
	if (bounds === undefined) return "memory must be a number with Ki, Mi, Gi or Ti";
	const [least, most] = bounds;
	if (Number(amount) >= least && Number(amount) <= most) return undefined;
	return `memory must be from ${least}${unit} to ${most}${unit}`;
}
