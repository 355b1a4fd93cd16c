/** Merges the request for a session with the preset, profile and template that it names. Pure. */
import type { Preset } from "#shared/contracts/blueprints/presets.ts";
import type { Profile } from "#shared/contracts/blueprints/profiles.ts";
import type { SessionCreate, SessionSource } from "#shared/contracts/sessions/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import {
	type LaunchLevel,
	mergedLevels,
	presetLevel,
	profileLevel,
	requestLevel,
	templateLevel,
} from "./launch-level.ts";

export interface Blueprints {
	readonly preset?: Preset | undefined;
	/** The profile that the request names. */
	readonly profile?: Profile | undefined;
	readonly template?: Template | undefined;
	/** The caller's default profile; it is used when the request names none. */
	readonly defaultProfile?: Profile | undefined;
}

/** The settings of a session as if its request had named all of them. */
export interface MergedRequest {
	readonly request: SessionCreate;
	readonly level: LaunchLevel;
	/** The settings that a profile cannot change, because the request or the preset has them. */
	readonly above: LaunchLevel;
	/** The settings that a profile changes. */
	readonly below: LaunchLevel;
}

/**
 * Returns the merged settings: request, preset, named profile, template, default profile.
 * @throws {UnprocessableError} when the preset's source cannot be used.
 */
export function mergedRequest(request: SessionCreate, blueprints: Blueprints): MergedRequest {
	const { preset, profile, template, defaultProfile } = blueprints;
	const above = mergedLevels([requestLevel(request), preset && presetLevel(preset)]);
	const below = mergedLevels([template && templateLevel(template)]);
	const fallback = profile ? undefined : defaultProfile;
	const level = mergedLevels([above, profile && profileLevel(profile), below, fallback && profileLevel(fallback)]);
	return { request: completed(request, level), level, above, below };
}

/** Returns the request with what the levels say of its members. */
function completed(request: SessionCreate, level: LaunchLevel): SessionCreate {
	const { model = "", system_prompt = "", initial_prompt = "", resource_config = {}, integration_ids = [] } = level;
	return {
		...request,
		model,
		system_prompt,
		initial_prompt,
		resource_config: { ...resource_config },
		integration_ids: [...integration_ids],
		terminal_restricted: level.terminal_restricted ?? false,
		workload_type: level.workload_type,
		...sourceOf(request, level.source),
	};
}

/** Returns the source; a request that names no repository takes that of the preset, with its own branches. */
function sourceOf(request: SessionCreate, preset: SessionSource | undefined): { source?: SessionSource } {
	const { source, repo, branch } = request;
	const asked = source ?? { type: "git" as const, repo, branch };
	if (!preset || asked.type === "local_mount" || asked.repo) return {};
	return {
		source: {
			...preset,
			...(asked.branch && { branch: asked.branch }),
			...(asked.base_branch && { base_branch: asked.base_branch }),
		},
	};
}
