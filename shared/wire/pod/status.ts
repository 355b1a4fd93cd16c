/** The progress of a pod as the pod itself reports it: a file that is replaced at every change (temporary name, rename). */
import type { Observation } from "#shared/contracts/sessions/session-work.ts";

export const podPhases = ["starting", "cloning", "setting_up", "starting_agent", "ready", "failed"] as const;
export type PodPhase = (typeof podPhases)[number];

/** The reason why a pod could not start or had to end. */
export interface PodFailure {
	/** Stable name, e.g. `CLONE_FAILED`, `SETUP_FAILED`, `AGENT_LOST`. */
	code: string;
	/** A sentence for the user, without secrets. */
	message: string;
}

/** The path of these is the repository's folder below the workspace; empty: the workspace itself. */
export type RepositoryTiming = NonNullable<Observation["clones"]>[number];
export type RepositoryBranch = NonNullable<Observation["branches"]>[number];

export interface PodStatus {
	phase: PodPhase;
	/** Process id of the session agent. */
	pid: number;
	/** The port of its HTTP and WebSocket server; present from the phase `cloning`. */
	port?: number;
	/** The host at which it listens; absent: loopback. */
	host?: string;
	/** The reason; present only in the phase `failed`, after which the process ends. */
	failure?: PodFailure;
	/** A sentence about the present step, e.g. how far the clones are; present in the phase `cloning` only. */
	progress?: string;
	/** The times of the clones of this launch; present from the phase `setting_up`, if there were any. */
	clones?: readonly RepositoryTiming[];
	/** The branches of the repositories whose launch names none; present from the phase `setting_up`, if there are any. */
	branches?: readonly RepositoryBranch[];
	/** Sentences about what does not work in this launch, without secrets; absent: none. */
	warnings?: readonly string[];
	/** ISO times of the steps taken so far. */
	timings: { spawned?: string; cloned?: string; set_up?: string; ready?: string };
	/** The title of the coding agent, e.g. `Shell (no AI)`; present when `ready`. */
	agent_title?: string;
}
