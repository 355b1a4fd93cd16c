/**
 * Session pods as processes of this machine (Linux). What runs is read from `/proc` each time, so a pod started by an
 * earlier platform process is as good as one of our own. No isolation: for one developer only.
 */
import { join } from "node:path";
import { now } from "#shared/clock.ts";
import { failpoint } from "#shared/failpoints.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import type { PodFailure } from "#shared/pod/status.ts";
import { projectRoot as ownRoot } from "#shared/project-root.ts";
import type { Pod, PodRuntime, PodSpec } from "../pod-runtime.ts";
import { podName } from "../pod-runtime.ts";
import { isSameLaunch, type Launch, launchName } from "./local-process/launch.ts";
import { agentsAmong, podFrom } from "./local-process/local-pod.ts";
import { type MarkedProcess, MarkedProcesses, sendSignal } from "./local-process/marked-processes.ts";
import { PodWatch } from "./local-process/pod-watch.ts";
import { RunFolders } from "./local-process/run-folders.ts";
import { SessionFolders } from "./local-process/session-folders.ts";
import { type AgentProgram, spawnAgent } from "./local-process/spawn-agent.ts";
import { WaitingAgents } from "./local-process/waiting-agents.ts";

/** Exit code of an agent that found the session taken (agent/main.ts). */
const taken = 75;

export interface LocalProcessOptions {
	dataDir: string;
	/** Marks the processes of this installation. */
	installation: string;
	/** Home folder of whoever started the platform; its git and ssh configuration may be used to clone. */
	userHome: string;
	/** What session agents may see of the platform's environment. */
	environment: Record<string, string>;
	/** Folder with `agent/main.ts`; default this project. */
	projectRoot?: string;
	/** Session agents that are kept waiting for the sessions to come, 0 to 8; default 1. */
	waiting?: number;
}

const maxWaiting = 8;

export class LocalProcessRuntime implements PodRuntime {
	readonly #options: LocalProcessOptions;
	readonly #program: AgentProgram;
	readonly #waiting: WaitingAgents;
	readonly #runs: RunFolders;
	readonly #sessions: SessionFolders;
	readonly #processes: MarkedProcesses;
	readonly #watches = new Set<PodWatch>();

	/** @throws {RangeError} */
	constructor(options: LocalProcessOptions) {
		const { dataDir, environment, installation, projectRoot = ownRoot } = options;
		this.#options = options;
		this.#program = { main: join(projectRoot, "agent/main.ts"), environment, installation };
		this.#waiting = new WaitingAgents(this.#program, join(dataDir, "run", ".waiting"), waitingOf(options));
		this.#runs = new RunFolders(join(dataDir, "run"));
		this.#sessions = new SessionFolders(join(dataDir, "sessions"));
		this.#processes = new MarkedProcesses(installation);
	}

	async list(): Promise<Pod[]> {
		return this.#pods(() => true);
	}

	async find(sessionId: string): Promise<Pod[]> {
		return this.#pods((launch) => launch.sessionId === sessionId);
	}

	/** @throws {Error} when a pod of another launch lives: two must never share a workspace. */
	async create(spec: PodSpec): Promise<void> {
		const launch = { sessionId: spec.session_id, generation: spec.generation };
		const pods = await this.find(launch.sessionId);
		if (pods.some(({ generation }) => generation === launch.generation)) return;
		const other = pods.find(({ state }) => state !== "gone");
		if (other) {
			throw new Error(`Cannot start "${podName(launch.sessionId, launch.generation)}" while "${other.name}" lives`);
		}
		await this.#runs.create(launch);
		const folders = await this.#sessions.create(launch.sessionId);
		failpoint("local-process.before-spawn");
		const document = this.#document(spec, launch, folders);
		const log = this.#runs.log(launch);
		const agent = (await this.#waiting.take(document, log)) ?? (await spawnAgent(this.#program, document, log));
		void agent.ended.then((outcome) => this.#recordEnd(launch, agent.process.pid, outcome)).finally(() => this.#look());
		this.#look();
	}

	/** What is left of a pod whose agent is dead has nobody to end it in order, so it is killed at once. */
	async end(pod: Pod, graceMs: number): Promise<void> {
		const records = await this.#runs.read(pod);
		const processes = await this.#processesOf(pod);
		const agents = agentsAmong(processes, records);
		if (agents.length > 0 && records.endingSince === undefined) {
			for (const agent of agents) sendSignal(agent, "SIGTERM");
			// An end whose beginning cannot be noted could never be found over.
			if (await this.#runs.markEnding(pod)) return;
		} else if (agents.length > 0 && !isOver(records.endingSince, graceMs)) {
			return;
		}
		for (const agent of agents) sendSignal(agent, "SIGKILL", { group: true });
		for (const process of processes) sendSignal(process, "SIGKILL");
	}

	/** Folders without a word in them, of which no process lives. */
	async unfinished(): Promise<Pod[]> {
		const launches = await this.#runs.launches();
		const pods = new Set((await this.list()).map(({ name }) => name));
		return launches
			.map((launch) => ({ ...launch, name: podName(launch.sessionId, launch.generation) }))
			.filter(({ name }) => !pods.has(name))
			.map((launch) => ({ ...launch, state: "gone", timings: {} }));
	}

	async forget(pod: Pod): Promise<void> {
		if ((await this.#processesOf(pod)).length > 0) throw new Error(`Cannot forget "${pod.name}": it still lives`);
		await this.#runs.discard(pod);
	}

	async purge(sessionId: string): Promise<void> {
		const living = (await this.find(sessionId)).find(({ state }) => state !== "gone");
		if (living) throw new Error(`Cannot purge session "${sessionId}": "${living.name}" still lives`);
		const launches = await this.#runs.launches();
		await Promise.all(
			launches.filter((launch) => launch.sessionId === sessionId).map((launch) => this.#runs.discard(launch)),
		);
		await this.#sessions.discard(sessionId);
	}

	kept(): Promise<string[]> {
		return this.#sessions.list();
	}

	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void {
		void this.#runs.emptyTrash();
		void this.#sessions.emptyTrash();
		this.#waiting.keep(signal);
		const watch = new PodWatch(
			{
				list: () => this.list(),
				statusFile: (pod) => this.#runs.statusFile(pod),
				tend: (pod) => this.#runs.trimLog(pod),
			},
			onChange,
			signal,
		);
		this.#watches.add(watch);
		signal.addEventListener("abort", () => this.#watches.delete(watch));
	}

	/** Without this, an agent that dies at once would be started again and again. */
	async #recordEnd(launch: Launch, pid = 0, outcome: number | string | null): Promise<void> {
		if (outcome === taken && (await this.#hasAgent(launch))) return;
		const failure = outcome === taken ? sessionLocked(this.#sessions.lock(launch.sessionId)) : agentCrashed(outcome);
		// A folder that is gone or cannot be written tells the next look that nothing is there.
		await this.#runs.recordEnd(launch, pid, failure).catch(() => {});
	}

	/** Whether the one that was faster is there, of whichever launch: nothing is lost then. */
	async #hasAgent({ sessionId }: Launch): Promise<boolean> {
		return (await this.#processes.scan()).some((process) => process.isAgent && process.sessionId === sessionId);
	}

	#look(): void {
		for (const watch of this.#watches) watch.look();
	}

	/** Records first: a pod that is started meanwhile then counts as launching, not as one that is gone. */
	async #pods(wanted: (launch: Launch) => boolean): Promise<Pod[]> {
		const folders = (await this.#runs.launches()).filter(wanted);
		const records = await Promise.all(folders.map((launch) => this.#runs.read(launch)));
		const processes = (await this.#processes.scan()).filter(wanted);
		const known = new Map(folders.map((launch, index) => [launchName(launch), records[index]]));
		const launches = new Map([...folders, ...processes].map((launch) => [launchName(launch), launch]));
		const pods = [...launches].map(([name, launch]) => podFrom(launch, processes, known.get(name) ?? {}));
		return pods.filter((pod) => pod !== undefined).toSorted((one, other) => one.generation - other.generation);
	}

	async #processesOf(pod: Pod): Promise<MarkedProcess[]> {
		return (await this.#processes.scan()).filter((process) => isSameLaunch(process, pod));
	}

	#document(spec: PodSpec, launch: Launch, folders: { workspace: string; state: string }): LaunchDocument {
		return {
			...spec,
			...folders,
			// A pod with another marker would never be found again.
			installation: this.#options.installation,
			status_file: this.#runs.statusFile(launch),
			home: this.#runs.home(launch),
			git_home: this.#options.userHome,
			agents: join(this.#options.dataDir, "agents"),
		};
	}
}

function agentCrashed(outcome: number | string | null): PodFailure {
	const message = `The session agent ended (${outcome}) before it could say why; its output is in its run folder`;
	return { code: "AGENT_CRASHED", message };
}

function sessionLocked(file: string): PodFailure {
	const message = `Another process holds the session's lock "${file}", and it is no pod of this installation`;
	return { code: "SESSION_LOCKED", message };
}

/** It comes from the configuration as it was written there. @throws {RangeError} */
function waitingOf({ waiting = 1 }: LocalProcessOptions): number {
	if (Number.isInteger(waiting) && waiting >= 0 && waiting <= maxWaiting) return waiting;
	throw new RangeError(`Cannot keep ${JSON.stringify(waiting)} session agents waiting: 0 to ${maxWaiting} can be`);
}

/** A clock that was set back, or a time that cannot be read, must not keep anything alive. */
function isOver(since: number | undefined, graceMs: number): boolean {
	const elapsed = now() - (since ?? 0);
	return !(elapsed >= 0 && elapsed < graceMs);
}
