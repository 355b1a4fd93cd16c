/** The fields that profiles and presets have in common, with the bounds of what their owners write. */
import { type Schema, schema } from "#shared/base/schema/schema.ts";
import { mcpServerNames, resourceNames, workloadNames } from "../free-form-names.ts";
import { absentOrNull, freeForm, text, textMap } from "../field-rules.ts";

/** The largest map or list of one member, as bytes of JSON. */
const maxMemberBytes = 65_536;

/** The name of a profile or preset. A profile is named in URLs, where slashes, `.` and `..` would never be found. */
export const blueprintName = {
	type: "string",
	min: 1,
	max: 255,
	pattern: "^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f/\\\\]+$",
	words: "be neither . nor .. and have no control characters and slashes",
	description: "Unique among those of the caller; no control characters and slashes, and neither `.` nor `..`",
} as const;

/** The name of a group within which at most one is the default. */
export const groupName = {
	type: "string",
	max: 255,
	pattern: "^[^\\u0000-\\u001f\\u007f]*$",
	words: "have no control characters",
} as const;

export const anyMembers = { ...freeForm, max_bytes: maxMemberBytes } as const;
export const listOfObjects = {
	type: "array",
	max: 100,
	max_bytes: maxMemberBytes,
	items: freeForm,
} as const;
export const listOfTexts = { type: "array", max: 200, max_bytes: maxMemberBytes, items: text } as const;

/** The settings of launches that both have. */
export const launchFields = schema({
	description: { type: "string", max: 10_000 },
	model: { type: "string", max: 100, nullable: true },
	system_prompt: { type: "string", max: 100_000, nullable: true },
	resource_config: { ...anyMembers, names: resourceNames, max_bytes: 16_384, description: "`cpu`, `memory`, `gpu`" },
	mcp_servers: { ...listOfObjects, items: { ...listOfObjects.items, names: mcpServerNames } },
	env_vars: { ...textMap, max_bytes: maxMemberBytes },
	env_secret_refs: { ...listOfTexts, description: "Names of cluster secrets" },
	workload_config: {
		...anyMembers,
		names: workloadNames,
		description:
			"`agent`, `permission_mode`, `initial_prompt`, `terminal_restricted`, `image`, `placement`, `egress`, `egress_hosts`; others are carried",
	},
	is_default: { type: "boolean" },
});

const none = { default: {} } as const;
export const empty = { default: [] } as const;
const { model, system_prompt, resource_config, mcp_servers, env_vars, env_secret_refs, workload_config } = launchFields;

/** The settings of launches in a new profile or preset. */
export const newLaunchFields = schema({
	description: { ...launchFields.description, default: "" },
	model: { ...model, optional: true },
	system_prompt: { ...system_prompt, optional: true },
	resource_config: { ...resource_config, ...none },
	mcp_servers: { ...mcp_servers, ...empty },
	env_vars: { ...env_vars, ...none },
	env_secret_refs: { ...env_secret_refs, ...empty },
	workload_config: { ...workload_config, ...none },
	is_default: { ...launchFields.is_default, default: false },
});

type Changes<S extends Schema> = { readonly [K in keyof S]: S[K] & typeof absentOrNull };

/** Returns the members of a change: the given ones, each of which may be absent or null. */
export function changesOf<const S extends Schema>(fields: S): Changes<S> {
	const changes = Object.entries(fields).map(([key, rule]) => [key, { ...rule, ...absentOrNull }]);
	return Object.fromEntries(changes);
}
