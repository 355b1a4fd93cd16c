/**
 * The contract between the pod manager, which alone touches files of workspaces, and the sessions service, which alone
 * writes their records: removals and measurements that are due.
 */
import { defineContract, defineEvent } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { hostField, sessionIdRule } from "../sessions/session-work.ts";
import { count } from "../field-rules.ts";

const id = sessionIdRule;
const bytes = { ...count, max: Number.MAX_SAFE_INTEGER } as const;

/**
 * Why a measurement has not counted everything: too many files, too deep folders, too little time or memory, or files that changed so
 * much meanwhile that it ended.
 */
export const partialReasons = ["entries", "depth", "time", "memory", "changes"] as const;
export type PartialReason = (typeof partialReasons)[number];
/** Those that stay as they are until files are removed; a further measurement may be whole in the case of the others. */
export const lastingReasons: ReadonlySet<PartialReason> = new Set(["entries", "depth"]);
const partial = {
	type: "enum",
	values: partialReasons,
	optional: true,
	description: "Why not everything was counted: the bytes are the least then; absent: they are all",
} as const;

const task = {
	id,
	kind: { type: "enum", values: ["remove", "measure"] },
	fence: { ...count, description: "Grows with every claim; a report with an older one is refused" },
	session: {
		...id,
		optional: true,
		description: "The session that has the workspace now; its files elsewhere count too",
	},
} as const;
export type WorkspaceTask = Output<typeof task>;

const taskReport = {
	...task,
	bytes: { ...bytes, optional: true, description: "The result of a measurement" },
	partial,
} as const;
export type WorkspaceTaskReport = Output<typeof taskReport>;

const usedWorkspace = {
	session: id,
	workspace: id,
	disk_bytes: {
		...bytes,
		optional: true,
		description: "The most bytes that the session asked for (`resource_config.disk`)",
	},
} as const;
export type UsedWorkspace = Output<typeof usedWorkspace>;

const measuredSession = {
	session: id,
	bytes,
	before: { ...bytes, optional: true, description: "The bytes at the measurement before, a moment ago" },
	partial,
} as const;
export type MeasuredSession = Output<typeof measuredSession>;

const stoppedGrower = { session: id, grown_bytes: bytes } as const;
export type StoppedGrower = Output<typeof stoppedGrower>;

const oversizedWorkspace = {
	session: id,
	bytes,
	limit_bytes: { ...bytes, description: "The most bytes that it may have" },
	partial,
} as const;
export type OversizedWorkspace = Output<typeof oversizedWorkspace>;

export const workspaceWork = defineContract("workspace-work", {
	claim: {
		access: "system",
		makes_room: true,
		summary: "Claim removals that are due, and at most one measurement; each is leased for a while",
		params: {
			limit: { type: "number", integer: true, min: 1, max: 64 },
			measure: { type: "boolean", description: "Whether the caller is free to measure" },
			host: hostField,
		},
		returns: { type: "array", items: { type: "object", props: task } },
	},
	report: {
		access: "system",
		makes_room: true,
		summary: "Report that a task was done; false when the fence is old",
		params: taskReport,
		returns: { type: "boolean" },
	},
	unknown: {
		access: "system",
		summary: "Those of the ids that belong to no workspace",
		params: { ids: { type: "array", max: 500, items: id } },
		returns: { type: "array", items: id },
	},
	in_use: {
		access: "system",
		summary: "The workspaces of those sessions that are to run",
		params: { sessions: { type: "array", max: 500, items: id } },
		returns: { type: "array", items: { type: "object", props: usedWorkspace } },
	},
	disk_short: {
		access: "system",
		makes_room: true,
		summary:
			"Stop the session whose workspace has grown most, because its host has hardly any room; none when no one grew",
		params: {
			least_bytes: { ...bytes, min: 1, description: "Growth below this stops nobody" },
			measured: { type: "array", max: 500, items: { type: "object", props: measuredSession } },
		},
		returns: { type: "array", max: 1, items: { type: "object", props: stoppedGrower } },
	},
	oversized: {
		access: "system",
		makes_room: true,
		summary:
			"Stop the session whose workspace is larger than it may be, or cannot be measured whole; false when it is not to run any more",
		params: oversizedWorkspace,
		returns: { type: "boolean" },
	},
});

/** The files of a workspace may be due for removal. A pod manager that misses the event finds it at its next poll. */
export const workspaceDue = defineEvent("workspace.due", schema({ id }));
