/** Changes the settings of a session's next launch to those of another profile. Pure. */
import type { Profile } from "#shared/contracts/blueprints/profiles.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { type LaunchLevel, mergedLevels, profileLevel } from "./launch-level.ts";
import type { MergedRequest } from "./merged-request.ts";
import { runtimeSettings } from "../launch-settings.ts";

/** The texts of a launch that the stored levels do not repeat. */
const texts = ["model", "system_prompt", "initial_prompt"] as const;

/** The memory that a session has of the levels which its settings were merged from. */
export interface StoredLevels {
	/** The settings above the profile, without the texts. */
	readonly above: LaunchLevel;
	/** The texts above the profile; their values are those of the launch. */
	readonly fixed: readonly (typeof texts)[number][];
	readonly below: LaunchLevel;
	/** The merged model: another one in the launch was chosen by an update since, which a profile does not undo. */
	readonly model: string;
}

export function storedLevels({ above, below, level }: MergedRequest): StoredLevels {
	const { model: _model, system_prompt: _system, initial_prompt: _initial, ...rest } = above;
	const fixed = texts.filter((text) => above[text] !== undefined);
	return { above: rest, fixed, below, model: level.model ?? "" };
}

/**
 * Returns the settings with those of the profile in the place of the former profile's.
 * @param levels Absent for a session that was made from a chronicle: the profile changes all that it names.
 * @throws {UnprocessableError} when the profile names something that does not exist or cannot be used.
 */
export function launchWithProfile(
	launch: LaunchSettings,
	levels: StoredLevels | undefined,
	profile: Profile,
): LaunchSettings {
	const { above, fixed, below, model } = levels ?? {
		above: {},
		fixed: [],
		below: levelOf(launch),
		model: launch.model,
	};
	const kept = launch.model === model ? fixed : [...fixed, "model" as const];
	const own = Object.fromEntries(kept.map((text) => [text, launch[text]]));
	const level = mergedLevels([{ ...above, ...own }, profileLevel(profile), below]);
	// The levels have those members that may be absent.
	const { image: _image, placement: _placement, egress: _egress, ...rest } = launch;
	return { ...rest, ...runtimeSettings(level) };
}

function levelOf(launch: LaunchSettings): LaunchLevel {
	const { model, system_prompt, initial_prompt, env, agent, mcp_servers, permission_mode } = launch;
	const { resource_config = {}, terminal_restricted, egress, image, placement } = launch;
	const label = "The session";
	return {
		model,
		system_prompt,
		initial_prompt,
		env_vars: env,
		resource_config,
		...(terminal_restricted && { terminal_restricted }),
		...(egress && { egress }),
		...(image !== undefined && { image }),
		...(placement !== undefined && { placement }),
		agent,
		mcp_servers: { label, value: mcp_servers },
		permission_mode: { label, value: permission_mode },
	};
}
