/** The progress of a pod as the pod itself reports it: a file that is replaced at every change (temporary name, rename). */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { partialReasons } from "#shared/contracts/workspaces/workspace-work.ts";

const podPhases = ["starting", "cloning", "setting_up", "starting_agent", "ready", "failed"] as const;
export type PodPhase = (typeof podPhases)[number];

const text = { type: "string" } as const;
/** A repository's folder below the workspace; empty: the workspace itself. */
const path = text;

/** The size of files as the pod has counted them. */
export const measuredSizeFields = schema({
	/** They have at least so many; without `partial`, exactly so many. */
	bytes: { type: "number", integer: true, min: 0, max: Number.MAX_SAFE_INTEGER },
	/** Why not everything was counted; absent: everything was. */
	partial: { type: "enum", values: partialReasons, optional: true },
});
export type MeasuredSize = Output<typeof measuredSizeFields>;

/** The content of the status file. */
export const podStatusFields = schema({
	/** It grows with each status of a launch, so that one that arrives late is known as such; absent: the agent is of an earlier version. */
	number: { type: "number", integer: true, min: 1, max: Number.MAX_SAFE_INTEGER, optional: true },
	phase: { type: "enum", values: podPhases },
	/** Process id of the session agent. */
	pid: { type: "number", integer: true },
	/** The port of its HTTP and WebSocket server; present from the phase `cloning`. */
	port: { type: "number", integer: true, optional: true },
	/** The host at which it listens; absent: loopback. */
	host: { ...text, optional: true },
	/**
	 * Why the pod could not start or had to end; present only in the phase `failed`, after which the process ends. The code is
	 * a stable name, e.g. `CLONE_FAILED`; the message is a sentence for the user, without secrets.
	 */
	failure: { type: "object", props: { code: text, message: text }, optional: true },
	/** ISO times of the steps taken so far: `spawned`, `cloned`, `set_up`, `ready`. */
	timings: { type: "record", key: text, value: text },
	/** The title of the coding agent, e.g. `Shell (no AI)`; present when `ready`. */
	agent_title: { ...text, optional: true },
	/** A sentence about the present step, e.g. how far the clones are; present in the phase `cloning` only. */
	progress: { ...text, optional: true },
	/** Sentences about what does not work in this launch, without secrets; absent: none. */
	warnings: { type: "array", items: text, optional: true },
	/** The times of the clones of this launch; present from the phase `setting_up`, if there were any. */
	clones: {
		type: "array",
		items: { type: "object", props: { path, ms: { type: "number", integer: true, min: 0 } } },
		optional: true,
	},
	/** The size of the session's volume; present from some seconds after `ready`, where the launch names the volume. */
	measured: { type: "object", props: measuredSizeFields, optional: true },
	/** The branches of the repositories whose launch names none; present from the phase `setting_up`, if there are any. */
	branches: { type: "array", items: { type: "object", props: { path, branch: text } }, optional: true },
});
export type PodStatus = Output<typeof podStatusFields>;
export type PodFailure = NonNullable<PodStatus["failure"]>;
export type RepositoryTiming = NonNullable<PodStatus["clones"]>[number];
export type RepositoryBranch = NonNullable<PodStatus["branches"]>[number];
