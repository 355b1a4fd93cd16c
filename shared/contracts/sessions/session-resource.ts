/** The fields of a session in the API. */
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { resourceNames } from "../free-form-names.ts";
import {
	absentOrNull,
	count,
	dollars,
	freeForm,
	nullableText,
	nullableTime,
	text,
	textMap,
	texts,
	time,
} from "../field-rules.ts";

export const sessionStatuses = [
	"created",
	"starting",
	"provisioning",
	"running",
	"stopping",
	"stopped",
	"failed",
	"archived",
] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const activityStates = ["active", "idle", "tool_executing"] as const;
export type ActivityState = (typeof activityStates)[number];

/** The permission modes. `auto`: every request of the agent is permitted, each one once. `ask`: a person answers. */
export const permissionModes = ["auto", "ask"] as const;
export type PermissionMode = (typeof permissionModes)[number];

const optionalTime = { ...time, optional: true } as const;

const mount = {
	host_path: { type: "string", min: 1, max: 4_096 },
	mount_path: { type: "string", min: 1, max: 4_096 },
	read_only: { type: "boolean", default: true },
} as const;

/** The origin of a session's workspace. Members that belong to the other type are omitted from answers. */
export const sessionSource = schema({
	type: { type: "enum", values: ["git", "local_mount"] },
	repo: { type: "string", max: 500, optional: true },
	branch: { type: "string", max: 255, optional: true },
	base_branch: { type: "string", max: 255, optional: true },
	paths: { type: "array", min: 1, max: 50, items: { type: "object", props: mount }, optional: true },
	node_selector: { ...textMap, max_bytes: 4_096, optional: true },
	local_path: { type: "string", max: 4_096, optional: true },
});
export type SessionSource = Output<typeof sessionSource>;

const source = { type: "object", props: sessionSource } as const;

export const statusReason = schema({
	code: { type: "string", description: "Stable name, e.g. `CLONE_FAILED`, `POD_LOST`, `START_TIMEOUT`" },
	message: text,
	since: time,
	deadline: { ...nullableTime, description: "Time at which the platform gives up waiting for the present step" },
});

/** The scopes of budgets, in the order in which they are checked. */
export const budgetScopes = ["session", "user", "tenant"] as const;
export type BudgetScope = (typeof budgetScopes)[number];

export const budgetReason = schema({
	code: { type: "string", description: "`BUDGET_EXCEEDED`, or `MODEL_NOT_PRICED` for a refused model call" },
	message: text,
	scope: { type: "enum", values: budgetScopes },
	spent: { type: "number", min: 0, optional: true, description: "US dollars of that budget that were spent or held" },
	needed: { type: "number", min: 0, optional: true, description: "US dollars that the next model call reserves" },
});
export type BudgetReason = Output<typeof budgetReason>;

export const dollarLimit = {
	...dollars,
	max: 1_000_000,
	nullable: true,
	description: "US dollars; null: no limit",
} as const;

/** The budget of a session in US dollars. The daily limits of its owner and tenant are in `GET /budgets`. */
export const sessionBudget = schema({
	limit: dollarLimit,
	spent: dollars,
	reserved: { ...dollars, description: "US dollars held by the turn under way" },
	paused: { type: "boolean", description: "Whether no turn begins, and messages wait, until a limit is raised" },
	reason: { type: "object", props: budgetReason, nullable: true },
});

export const sessionRepository = schema({
	url: text,
	branch: text,
	path: { ...text, description: "Folder below the workspace, with which the paths of its changes begin; empty: none" },
	cloned_ms: { ...count, optional: true, description: "Duration of its last clone" },
});

/** The times at which the present launch reached each step. */
export const timings = schema({
	requested: optionalTime,
	claimed: optionalTime,
	spawned: optionalTime,
	cloned: optionalTime,
	set_up: optionalTime,
	ready: optionalTime,
});

export const session = schema({
	id: { type: "uuid" },
	name: text,
	model: text,
	agent: { ...text, description: "Id of its coding agent" },
	source,
	repo: { ...text, description: "Copy of `source.repo`; empty for a local mount" },
	branch: { ...text, description: "Copy of `source.branch`" },
	repositories: {
		type: "array",
		items: { type: "object", props: sessionRepository },
		description: "The repositories of the workspace, the session's own one first",
	},
	resource_config: { ...freeForm, optional: true, description: "The requested resources" },
	terminal_restricted: { type: "boolean", optional: true },
	template_name: nullableText,
	preset_id: nullableText,
	profile_name: { ...nullableText, description: "The profile of its settings: the named one, or the caller's default" },
	status: { type: "enum", values: sessionStatuses },
	status_reason: { type: "object", props: statusReason, nullable: true },
	activity_state: { type: "enum", values: activityStates, nullable: true },
	activity_metadata: freeForm,
	chat_endpoint: nullableText,
	code_endpoint: nullableText,
	pod_name: nullableText,
	error: { ...nullableText, description: "Sentence of the last failure, until the next start" },
	created_at: time,
	updated_at: time,
	last_active: time,
	archived_at: nullableTime,
	message_count: count,
	tokens_used: count,
	tracker_issue_id: nullableText,
	issue_tracker_url: nullableText,
	task_type: nullableText,
	workload_type: nullableText,
	owner_id: nullableText,
	tenant_id: nullableText,
	generation: {
		...count,
		description: "Number of the present launch: it grows with each, and jumps when a backup is restored",
	},
	rev: {
		type: "number",
		integer: true,
		min: 1,
		description: "Revision, which grows with every change that clients can see",
	},
	timings: { type: "object", props: timings },
	warnings: texts,
	budget: { type: "object", props: sessionBudget },
});
export type Session = Output<typeof session>;

/** The times from which changed settings have an effect. */
export const effectTimes = ["now", "next_start"] as const;
export type EffectTime = (typeof effectTimes)[number];

const effect = {
	type: "enum",
	values: effectTimes,
	optional: true,
	description: "`now`, or `next_start` while a launch with the former value is there",
} as const;

/** A session after an update. `applies` has a member for each changed setting of the launch. */
export const updatedSession = schema({
	...session,
	applies: { type: "object", props: { model: effect, branch: effect } },
});
export type UpdatedSession = Output<typeof updatedSession>;

const name = {
	type: "string",
	trim: true,
	min: 1,
	max: 63,
	pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
	words: "have only lower-case letters, digits and hyphens, and begin and end with a letter or digit",
	description: "RFC 1123 label: lower-case letters, digits and hyphens",
} as const;

/** The limit of a session's cost; absent and null leave the limit unchanged. */
export const budgetLimit = {
	type: "object",
	props: { limit: dollarLimit },
	...absentOrNull,
	description: "Limit of the session's cost",
} as const;

/** The fields that a client may send to create a session; unknown members are ignored. */
export const sessionCreateFields = schema({
	name,
	model: { type: "string", max: 100, default: "", description: "Empty lets the template decide" },
	agent: {
		type: "string",
		max: 40,
		...absentOrNull,
		description:
			"Id of a coding agent; absent or empty lets the template decide (`workload_config.agent`), then `builtin`",
	},
	repo: { type: "string", max: 500, optional: true, description: "Flat form of `source.repo`" },
	branch: { type: "string", max: 255, optional: true, description: "Flat form of `source.branch`" },
	source: { ...source, optional: true, description: "Has precedence over `repo` and `branch`" },
	template_name: { type: "string", max: 255, ...absentOrNull },
	preset_id: { type: "uuid", ...absentOrNull },
	profile_name: { type: "string", max: 255, ...absentOrNull },
	workspace_id: { type: "uuid", ...absentOrNull },
	terminal_restricted: { type: "boolean", default: false },
	credential_names: { type: "array", max: 100, items: { type: "string", max: 253 }, default: [] },
	integration_ids: { type: "array", max: 100, items: { type: "string", max: 100 }, default: [] },
	resource_config: { ...freeForm, names: resourceNames, max_bytes: 16_384, default: {} },
	system_prompt: { type: "string", max: 100_000, default: "" },
	initial_prompt: { type: "string", max: 100_000, default: "" },
	issue_id: { type: "string", max: 255, ...absentOrNull },
	issue_url: { type: "string", max: 2_048, ...absentOrNull },
	task_type: { type: "string", max: 255, ...absentOrNull },
	workload_type: { type: "string", max: 255, ...absentOrNull },
	workload_config: {
		...freeForm,
		max_bytes: 16_384,
		...absentOrNull,
		description: "Refused unless it is empty: it belongs to a template, a profile or a preset, which the session names",
	},
	permission_mode: {
		type: "enum",
		values: permissionModes,
		...absentOrNull,
		description: "`auto`: every permission request of the agent is allowed, each once; `ask`: a person answers",
	},
	budget: budgetLimit,
});
export type SessionCreate = Output<typeof sessionCreateFields>;

export const cleanupTargets = ["workspace_storage", "chronicles"] as const;

export const deleteSessionFields = schema({
	cleanup: { type: "array", max: 10, items: { type: "enum", values: cleanupTargets }, default: [] },
});
