/** How far a pod has come, as the pod itself tells it: a file written whole (temporary name, rename) at every change. */

export const podPhases = ["starting", "cloning", "setting_up", "starting_agent", "ready", "failed"] as const;
export type PodPhase = (typeof podPhases)[number];

export interface PodFailure {
	/** Stable name, e.g. `CLONE_FAILED`, `SETUP_FAILED`, `AGENT_LOST`. */
	code: string;
	/** A sentence for the user, without secrets. */
	message: string;
}

export interface PodStatus {
	phase: PodPhase;
	/** Process id of the session agent. */
	pid: number;
	/** Port of its HTTP and WebSocket server on loopback; present from `cloning` on. */
	port?: number;
	/** Only when `failed`; the process ends after writing it. */
	failure?: PodFailure;
	/** ISO times of the steps taken so far. */
	timings: { spawned?: string; cloned?: string; set_up?: string; ready?: string };
	/** What the agent calls itself, e.g. `Shell (no AI)`; present when `ready`. */
	agent_title?: string;
}
