/**
 * A level of launch settings: what one request, preset, profile or template says of a launch. Levels are merged in their
 * order (decision 0040). Pure.
 */
import { compileSchema } from "#shared/base/schema/validator.ts";
import type { Preset } from "#shared/contracts/blueprints/presets.ts";
import type { Profile } from "#shared/contracts/blueprints/profiles.ts";
import { type SessionCreate, type SessionSource, sessionSource } from "#shared/contracts/sessions/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { type EgressLevel, egressOf, narrower } from "./egress-level.ts";

/** A value that is checked when it is used; the sentence that refuses it names its origin. */
export interface LabelledValue<T> {
	/** The origin, e.g. `Profile "fast"`. */
	readonly label: string;
	readonly value: T;
}

/** The settings of one level; an absent member leaves the setting to the levels below. */
export interface LaunchLevel {
	readonly model?: string;
	readonly system_prompt?: string;
	readonly initial_prompt?: string;
	readonly agent?: unknown;
	readonly permission_mode?: LabelledValue<unknown>;
	/** No level can lift a restriction of another one. */
	readonly terminal_restricted?: true;
	readonly image?: string;
	readonly placement?: string;
	/** No level can widen the way out of another one. */
	readonly egress?: EgressLevel;
	/** Merged variable by variable. */
	readonly env_vars?: Readonly<Record<string, string>>;
	/** Merged resource by resource. */
	readonly resource_config?: Readonly<Record<string, unknown>>;
	readonly mcp_servers?: LabelledValue<readonly Readonly<Record<string, unknown>>[]>;
	readonly setup_scripts?: readonly string[];
	readonly working_folder?: string;
	readonly source?: SessionSource;
	/** The repositories; the first one is used when no level has a source. */
	readonly repos?: Template["repos"];
	readonly integration_ids?: readonly string[];
	readonly workload_type?: string;
}

/** Merges levels; earlier ones have precedence. Maps are merged by key, and every other setting is taken as a whole. */
export function mergedLevels(levels: readonly (LaunchLevel | undefined)[]): LaunchLevel {
	return levels.reduceRight<LaunchLevel>((below, level = {}) => both(level, below), {});
}

function both(level: LaunchLevel, below: LaunchLevel): LaunchLevel {
	const env_vars = { ...below.env_vars, ...level.env_vars };
	const resource_config = { ...below.resource_config, ...level.resource_config };
	const egress = narrower(level.egress, below.egress);
	return {
		...below,
		...level,
		...(egress && { egress }),
		...(Object.keys(env_vars).length > 0 && { env_vars }),
		...(Object.keys(resource_config).length > 0 && { resource_config }),
	};
}

/** Returns the level of a request. Empty texts and lists count as absent. */
export function requestLevel(request: SessionCreate): LaunchLevel {
	const { permission_mode, workload_type } = request;
	return {
		...textsOf(request),
		...(request.agent && { agent: request.agent }),
		...(permission_mode && { permission_mode: { label: "The request", value: permission_mode } }),
		...(request.terminal_restricted && { terminal_restricted: true }),
		...(hasMembers(request.resource_config) && { resource_config: request.resource_config }),
		...(request.integration_ids.length > 0 && { integration_ids: request.integration_ids }),
		...(workload_type && { workload_type }),
	};
}

/** Returns the level of a preset. @throws {UnprocessableError} for a `source` that no session may have. */
export function presetLevel(preset: Preset): LaunchLevel {
	const label = `Preset "${preset.name}"`;
	const { cli_tool, source, integration_ids } = preset;
	return {
		...(cli_tool !== "" && { agent: cli_tool }),
		...runtimeOf(label, preset),
		...(preset.setup_scripts.length > 0 && { setup_scripts: preset.setup_scripts }),
		...(source && hasMembers(source) && { source: checkedSource(label, source) }),
		...(integration_ids.length > 0 && { integration_ids }),
	};
}

export function profileLevel(profile: Profile): LaunchLevel {
	return runtimeOf(`Profile "${profile.name}"`, profile);
}

export function templateLevel(template: Template): LaunchLevel {
	const { setup_scripts, repos, workspace_layout } = template;
	const { root } = workspace_layout;
	return {
		...runtimeOf(`Template "${template.name}"`, template),
		...(setup_scripts.length > 0 && { setup_scripts }),
		...(typeof root === "string" && root !== "" && { working_folder: root }),
		...(repos.length > 0 && { repos }),
	};
}

type Runtime = Pick<
	Template,
	"model" | "system_prompt" | "resource_config" | "mcp_servers" | "env_vars" | "workload_config" | "workload_type"
>;

/** Returns the settings that presets, profiles and templates have in common. */
function runtimeOf(label: string, runtime: Runtime): LaunchLevel {
	const { mcp_servers, env_vars, resource_config, workload_config, workload_type } = runtime;
	const { agent, permission_mode, initial_prompt, terminal_restricted } = workload_config;
	const egress = egressOf(workload_config);
	return {
		...textsOf({ ...runtime, initial_prompt }),
		...(egress && { egress }),
		...whereOf(workload_config),
		...(isGiven(agent) && { agent }),
		...(isGiven(permission_mode) && { permission_mode: { label, value: permission_mode } }),
		...(terminal_restricted === true && { terminal_restricted: true }),
		...(hasMembers(env_vars) && { env_vars }),
		...(hasMembers(resource_config) && { resource_config }),
		...(mcp_servers.length > 0 && { mcp_servers: { label, value: mcp_servers } }),
		...(workload_type !== "" && { workload_type }),
	};
}

/** Returns the place of the pod: its image, and the name of the operator's placement. */
function whereOf({ image, placement }: Readonly<Record<string, unknown>>): Pick<LaunchLevel, "image" | "placement"> {
	return { ...(isText(image) && { image }), ...(isText(placement) && { placement }) };
}

function textsOf(from: { model?: unknown; system_prompt?: unknown; initial_prompt?: unknown }) {
	const { model, system_prompt, initial_prompt } = from;
	return {
		...(isText(model) && { model }),
		...(isText(system_prompt) && { system_prompt }),
		...(isText(initial_prompt) && { initial_prompt }),
	};
}

const checkSource = compileSchema(sessionSource);

function checkedSource(label: string, written: Record<string, unknown>): SessionSource {
	const source: unknown = structuredClone(written);
	const [failure] = checkSource(source);
	if (failure === undefined) return source as SessionSource;
	throw new UnprocessableError(`${label}, source: ${failure.path.join(".")}: ${failure.message}`, "SOURCE_REFUSED");
}

function isText(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null && value !== "";
}

function hasMembers(value: object): boolean {
	return Object.keys(value).length > 0;
}
