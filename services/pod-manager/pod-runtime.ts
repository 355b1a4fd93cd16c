/**
 * Port: the place where session pods run. Names are deterministic, so that a repeated step has no further effect.
 * Settings that only one adapter needs (folders, a cluster) are its own configuration; the platform gives every adapter
 * a {@link RuntimeHost}.
 */
import type { BlockList } from "node:net";
import { loadAdapter } from "#shared/config/adapter.ts";
import type { Config } from "#shared/config/config.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { ModelAccess } from "#shared/wire/models/model-wire.ts";
import { refusedNetworks } from "#shared/net/outbound/outbound-rules.ts";
import { chosenRuntime, openChoice, type RuntimeChoice } from "./chosen-runtime.ts";
import { hostId } from "./host-id.ts";
import { platformUrl } from "./platform-url.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import type { PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";
import type { PodFailure, PodStatus } from "#shared/wire/pod/status.ts";

/** The state of a pod. `launching`: alive but not ready. `gone`: no process exists any more, but its records do. */
export type PodState = "launching" | "ready" | "failed" | "leaving" | "gone";

/** The members of its status that a pod reports about itself; the failure is there if it had the time to write it. */
export type PodReport = Pick<
	PodStatus,
	"timings" | "failure" | "agent_title" | "progress" | "clones" | "branches" | "warnings"
>;

/** A pod as the runtime finds it, in any state. */
export interface Pod extends Readonly<PodReport> {
	/** The name `session-<session id>-g<generation>`. */
	readonly name: string;
	readonly sessionId: string;
	readonly generation: number;
	readonly state: PodState;
	/**
	 * The base URL of its session agent, when that listens; only a form that `#shared/wire/pod/agent-url.ts` accepts is
	 * used.
	 */
	readonly address?: string;
	/** Why it does not go on for now, such as an image that is still missing; the runtime tries on by itself. */
	readonly waiting?: PodFailure;
}

/** The size of files that a session may change while they are counted. */
export interface MeasuredFiles {
	/** The files have at least so many; without `partial`, exactly so many. */
	readonly bytes: number;
	/** Why not everything was counted; absent: everything was. A session can cause it, so it never means that all is well. */
	readonly partial?: PartialReason | undefined;
}

/** The terms of a measurement. */
export interface MeasureTerms {
	readonly signal: AbortSignal;
	/** The longest time in milliseconds; default: that of the bound `measureMs`. */
	readonly withinMs?: number;
	/** The session that uses the workspace; default: the one with the id of the workspace. */
	readonly session?: string | undefined;
}

/**
 * The specification of a pod: a launch document without the members that the runtime adds (folders, files, and the
 * proof by which it finds the pod again).
 */
export type PodSpec = Omit<
	LaunchDocument,
	| "proof"
	| "host"
	| "listen_host"
	| "status_file"
	| "door"
	| "door_url"
	| "listen_port"
	| "listen_socket"
	| "termination_file"
	| "workspace"
	| "state"
	| "volume"
	| "deleted_sessions"
	| "home"
	| "git_home"
	| "secrets_folder"
	| "temporary_folder"
> & {
	/** The workspace in which it runs. Its files outlive the session; no other session has them meanwhile. */
	readonly workspace_id: string;
	/** The person for whom it runs. */
	readonly owner: { readonly tenant: string; readonly id: string };
};

/** The separation of a pod from the platform and from other pods. `none`: it has the platform's own rights. */
type Isolation = "none" | "container";

/** The arguments that the platform gives to every runtime. */
export interface RuntimeHost {
	/** The folder of all data of the platform; absolute. */
	readonly dataDir: string;
	/** The name with which the processes of this installation are marked. */
	readonly installation: string;
	/** The secret that proves that a mark is from this installation. */
	readonly markKey: string;
	/** The id of the host (host-id.ts); absent in tests with one host. */
	readonly host?: string;
	/** Returns the prefix of the platform's API, such as `http://127.0.0.1:8080/api/v1/svc`. @throws {Error} before it is known. */
	readonly platformUrl: () => string;
	/** The networks that the operator refuses to all requests of sessions (`outbound.refuse`). */
	readonly refusedNetworks: BlockList;
	/** The metrics of this process. */
	readonly metrics: Metrics;
	/** It serves runtimes whose pods get no key of a provider. */
	readonly models: RuntimeModels;
	/** It serves runtimes whose pods ask for their launch themselves. */
	readonly launches: RuntimeLaunches;
}

/** Computes launches for pods that ask for them. Nothing of it is kept. */
export interface RuntimeLaunches {
	/**
	 * Resolves to the launch of a session's pod, with its secrets; undefined when a pod of this generation must not run.
	 * @throws {Error} when nobody can say it now.
	 */
	readonly specOf: (sessionId: string, generation: number) => Promise<PodSpec | undefined>;
	/** Resolves to those of the sessions that are there, in whatever status. @throws {Error} when nobody can say it now. */
	readonly existingOf: (sessionIds: readonly string[]) => Promise<readonly string[]>;
}

/** Computes what the calls of a session need on the platform's side. Nothing of it is on disk. */
export interface RuntimeModels {
	/** Returns the access to a model with its provider's key; undefined when it cannot be used. Empty: the default model. */
	readonly accessOf: (model: string) => ModelAccess | undefined;
	/** Resolves to the name of the model that a session has now. @throws {Error} when nobody can say it. */
	readonly modelOf: (sessionId: string) => Promise<string>;
	/** Returns the token by which a launch reports to the platform. */
	readonly podToken: (sessionId: string, generation: number) => string;
}

/** The place of pods that cannot be anywhere else, because they and their files are on one machine. */
export interface PodPlace {
	/** The id of the host. Only its own pod manager acts for sessions whose files are there. */
	readonly host: string;
	/** Whether processes on other machines reach the pods. */
	readonly isReachable: boolean;
}

/** Everything that this installation has at the runtime, whichever process started it. */
export interface Inventory {
	/** Pods in every state, including `gone`. */
	readonly pods: readonly Pod[];
	/**
	 * Launches that were begun and have no pod yet, or never had one, in the state `gone`; they may be begun again at
	 * any moment.
	 */
	readonly unfinished: readonly Pod[];
	/** Ids of workspaces and sessions that have stored files or records, with a pod or without one; undefined: nobody can say it now. */
	readonly workspaces: readonly string[] | undefined;
	/** Sentences about problems that the runtime cannot solve by itself. */
	readonly troubles: readonly string[];
}

/**
 * The port; the configuration key `pods.runtime` names the adapter. The pod manager's part opens and closes it; pods
 * outlive both. A signal says that nobody waits for a step any more, and that another pass may take the same step: a method
 * rejects then, and begins nothing more. A step that had begun may be done all the same.
 */
export interface PodRuntime {
	readonly isolation: Isolation;
	/** Whether pods have the folders of the machine, for repositories with `file` URLs and for local mounts. */
	readonly hasHostFiles: boolean;
	/** The place of all its pods and files; absent: every pod manager reaches all of them. */
	readonly place?: PodPlace | undefined;
	/** The most bytes of a workspace whose session does not say how many it needs; absent: as many as there are. */
	readonly workspaceBytes?: number | undefined;
	/**
	 * Begins the runtime's own work, such as finishing what an earlier process began. Called once, before all other
	 * methods.
	 * @returns Sentences for the operator about guarantees that this place cannot give.
	 * @throws {ConfigError} when the runtime cannot work here.
	 */
	open(): Promise<readonly string[]>;
	/** Ends the work that {@link open} has begun. Pods continue to run. */
	close(): Promise<void>;
	inventory(): Promise<Inventory>;
	/**
	 * Returns the pods of one session, of every generation.
	 * @param generation The newest launch of the session, which no pod is later than. A runtime that keeps what it has heard may answer from
	 * that only where it has the pod of this launch: what it has not heard yet may have replaced all that it has.
	 */
	find(sessionId: string, signal?: AbortSignal, generation?: number): Promise<Pod[]>;
	/** Starts the pod, or does nothing when it exists already. @throws {PodRefused} when the place does not take it. */
	create(spec: PodSpec, signal?: AbortSignal): Promise<void>;
	/**
	 * Begins an orderly end that becomes a forced one after `graceMs`, and returns at once. Does nothing for a pod that
	 * is gone.
	 */
	end(pod: Pod, graceMs: number, signal?: AbortSignal): Promise<void>;
	/** Removes the records of a pod that is gone. */
	forget(pod: Pod, signal?: AbortSignal): Promise<void>;
	/** Removes the records of a session that has no pod, and leaves its workspace. */
	purge(sessionId: string, signal?: AbortSignal): Promise<void>;
	/** Removes the files of a workspace that no session has; does nothing when there are none. */
	removeWorkspace(workspaceId: string): Promise<void>;
	/**
	 * Returns the bytes that a workspace occupies, with all other files of the session that uses it; 0 when there is none. Each
	 * of its folders is given up after the time of the terms. @throws {Error} when the signal aborts, or the place cannot measure now.
	 */
	measureWorkspace(workspaceId: string, terms: MeasureTerms): Promise<MeasuredFiles>;
	/**
	 * Resolves to the entries of all files below the folder of a session or a workspace, in their order (shared/base/files/folder-walk.ts),
	 * for a process that may not read them. The caller reads them to their end, or gives up. Absent: the files belong to this process's
	 * user. @throws {Error} when none can be read; the iteration throws when they break off.
	 */
	readFiles?(id: string): Promise<AsyncIterable<unknown>>;
	/**
	 * Calls `onChange` with every session whose pods have changed, until the signal aborts: within a second, unless the place
	 * does not answer for a while. It changes nothing itself.
	 */
	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void;
}

const podRuntimeMethods = [
	"open",
	"close",
	"inventory",
	"find",
	"create",
	"end",
	"forget",
	"purge",
	"removeWorkspace",
	"measureWorkspace",
	"watch",
] as const;

/** The most sessions that are remembered with their pods; a machine has fewer. */
export const maxRemembered = 16_384;

/** Whether a process of the pod exists. */
export function isAlive({ state }: Pick<Pod, "state">): boolean {
	return state !== "gone";
}

export function podName(sessionId: string, generation: number): string {
	return `session-${sessionId}-g${generation}`;
}

/** The parts of the process that {@link loadRuntime} passes on. */
export interface RuntimeParts extends Pick<RuntimeHost, "metrics" | "launches"> {
	readonly models: Omit<RuntimeModels, "podToken">;
	/** Receives the choice where the configuration leaves one; default: nobody does. */
	readonly onChoice?: (choice: Pick<RuntimeChoice, "sentence" | "isLesser">) => void;
	/** Looks at the chosen runtime before it is made; an error refuses it. Default: nobody does. */
	readonly examine?: (chosen: AdapterRef, host: RuntimeHost) => Promise<void>;
}

/** Makes the configured runtime for the pods of this data folder. */
export async function loadRuntime(
	{ pods, data_dir, gateway, outbound }: Config,
	key: InstallationKey,
	{ models, launches, metrics, onChoice = () => {}, examine = async () => {} }: RuntimeParts,
): Promise<PodRuntime> {
	const host: RuntimeHost = {
		dataDir: data_dir,
		installation: key.installationId(),
		markKey: key.podMarkKey(),
		host: hostId(data_dir),
		platformUrl: () => platformUrl(gateway),
		refusedNetworks: refusedNetworks(outbound.refuse),
		metrics,
		launches,
		models: { ...models, podToken: (sessionId, generation) => key.podToken(sessionId, generation) },
	};
	const ref = pods.runtime.adapter === openChoice ? await choose(pods.runtime, host, onChoice) : pods.runtime;
	await examine(ref, host);
	return loadAdapter<PodRuntime>(ref, podRuntimeMethods, { ...host });
}

async function choose(
	asked: AdapterRef,
	host: RuntimeHost,
	onChoice: NonNullable<RuntimeParts["onChoice"]>,
): Promise<AdapterRef> {
	const choice = await chosenRuntime(asked, host);
	onChoice(choice);
	return choice.ref;
}
