/**
 * Port: the place where session pods run. Names are deterministic, so that doing something twice does it once. What an
 * adapter needs of its own (folders, a cluster) is its own configuration; the platform gives it a {@link RuntimeHost}.
 */
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

/** What keeps a pod from the platform and from other pods. `none`: it has the platform's own rights. */
export type Isolation = "none" | "container";

/** What the platform gives to every runtime, whatever it is. */
export interface RuntimeHost {
	/** Folder of everything the platform keeps; absolute. */
	readonly dataDir: string;
	/** Marks what belongs to this installation. */
	readonly installation: string;
	/** Proves that a mark is from this installation; a secret. */
	readonly markKey: string;
}

/** Everything of this installation at the runtime, whoever started it. */
export interface Inventory {
	/** In every state, `gone` included. */
	readonly pods: readonly Pod[];
	/** Launches that were begun and have no pod yet, or never had one, in the state `gone`; they may be begun again at any moment. */
	readonly unfinished: readonly Pod[];
	/** Ids of the sessions whose workspace is stored, with a pod or without one. */
	readonly workspaces: readonly string[];
	/** What the runtime cannot put right by itself and somebody should know of, in sentences. */
	readonly troubles: readonly string[];
}

export interface PodRuntime {
	readonly isolation: Isolation;
	/**
	 * Begins what the runtime does by itself, such as finishing what an earlier process has left. Called once, before all others.
	 * @returns What this place cannot keep of what is promised, in sentences for whoever runs the platform.
	 * @throws {ConfigError} when it cannot run here.
	 */
	open(): Promise<readonly string[]>;
	/** Ends what {@link open} has begun. Pods go on. */
	close(): Promise<void>;
	/** One look at everything. */
	inventory(): Promise<Inventory>;
	/** Pods of one session, every generation. */
	find(sessionId: string): Promise<Pod[]>;
	/** Starts the pod, or does nothing when it is there already. */
	create(spec: PodSpec): Promise<void>;
	/** Begins an orderly end that becomes a forced one after `graceMs`; returns at once. Nothing happens to one that is gone. */
	end(pod: Pod, graceMs: number): Promise<void>;
	/** Removes the records of a pod that is gone. */
	forget(pod: Pod): Promise<void>;
	/** Removes workspace and state of a session that has no pod. */
	purge(sessionId: string): Promise<void>;
	/** Calls back, within a second, with every session whose pods changed, until the signal aborts. Changes nothing itself. */
	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void;
}

export const podRuntimeMethods = [
	"open",
	"close",
	"inventory",
	"find",
	"create",
	"end",
	"forget",
	"purge",
	"watch",
] as const;

export function podName(sessionId: string, generation: number): string {
	return `session-${sessionId}-g${generation}`;
}
