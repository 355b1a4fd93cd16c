/** Port: the place where session pods run. Names are deterministic, so that doing something twice does it once. */
import type { LaunchDocument } from "#shared/pod/launch.ts";
import type { PodFailure } from "#shared/pod/status.ts";

/** `launching`: alive, not ready. `gone`: no process is left, its records still are. */
export type PodState = "launching" | "ready" | "failed" | "leaving" | "gone";

export interface Pod {
	/** `session-<session id>-g<generation>`. */
	readonly name: string;
	readonly sessionId: string;
	readonly generation: number;
	readonly state: PodState;
	/** Base URL of its session agent, once it listens; only of a form that `#shared/pod/agent-url.ts` knows is it used. */
	readonly address?: string;
	/** Why it failed, in its own words, when it had the time to say so. */
	readonly failure?: PodFailure;
	readonly timings: Readonly<Record<string, string>>;
	readonly agentTitle?: string;
}

/** What the runtime adds to the launch by itself: folders and files, and how it finds the pod again. */
export type PodSpec = Omit<LaunchDocument, "proof" | "status_file" | "workspace" | "state" | "home" | "git_home">;

export interface PodRuntime {
	/** All pods of this installation, whoever started them. */
	list(): Promise<Pod[]>;
	/** Pods of one session, every generation. */
	find(sessionId: string): Promise<Pod[]>;
	/** Starts the pod, or does nothing when it is there already. */
	create(spec: PodSpec): Promise<void>;
	/** Begins an orderly end that becomes a forced one after `graceMs`; returns at once. Nothing happens to one that is gone. */
	end(pod: Pod, graceMs: number): Promise<void>;
	/** What was begun for pods that never lived, as pods that are gone; it may be begun again at any moment. */
	unfinished(): Promise<Pod[]>;
	/** Removes the records of a pod that is gone. */
	forget(pod: Pod): Promise<void>;
	/** Removes workspace and state of a session that has no pod. */
	purge(sessionId: string): Promise<void>;
	/** Sessions whose workspace is here. */
	kept(): Promise<string[]>;
	/** What it cannot put right by itself and somebody should know of, in sentences. */
	troubles(): readonly string[];
	/** What this place cannot keep of what is promised, in sentences for whoever runs the platform. */
	shortcomings(): Promise<string[]>;
	/** Calls back, within a second, with every session whose pods changed, until the signal aborts. */
	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void;
}

export const podRuntimeMethods = [
	"list",
	"find",
	"create",
	"end",
	"unfinished",
	"forget",
	"purge",
	"kept",
	"troubles",
	"shortcomings",
	"watch",
] as const;

export function podName(sessionId: string, generation: number): string {
	return `session-${sessionId}-g${generation}`;
}
