/**
 * Runs session pods as processes of this machine (Linux). The running processes are read from `/proc` each time, so
 * pods that an earlier platform process started are treated like any other. There is no isolation: for one developer
 * only.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { now } from "#shared/base/clock.ts";
import { inheritedEnvironment } from "#shared/config/config.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import type { Failure } from "#shared/contracts/sessions/status-reasons.ts";
import { projectRoot as ownRoot } from "#shared/base/project-root.ts";
import type { Inventory, MeasuredFiles, MeasureTerms, Pod, PodPlace, PodRuntime, PodSpec } from "../pod-runtime.ts";
import { podName } from "../pod-runtime.ts";
import { removeMark } from "../runtime-change/runtime-mark.ts";
import { ControlGroups } from "./local-process/control-groups.ts";
import { FolderSizes } from "#shared/wire/pod/size/folder-size.ts";
import { isSameLaunch, type Launch } from "./launches/launch.ts";
import { ForeignFolders } from "./local-process/foreign-folders.ts";
import { agentsAmong } from "./local-process/local-pod.ts";
import {
	environmentOf,
	listenHostOf,
	type LocalProcessOptions,
	refuseForeignSystem,
	waitingOf,
	withCredentialsOf,
	withheldSentence,
} from "./local-process/local-process-options.ts";
import { MarkedProcesses } from "./local-process/marked-processes.ts";
import { missingGit } from "./local-process/needed-programs.ts";
import { PodList } from "./local-process/pod-list.ts";
import { PodMarks } from "./local-process/pod-marks.ts";
import { ProcessFolders } from "./local-process/process-folders.ts";
import { isThere } from "./launches/launched-pods.ts";
import { inventoryOf } from "./machine/machine-inventory.ts";
import { PodWatch } from "./machine/pod-watch.ts";
import { sendSignal } from "#shared/base/files/process-files.ts";
import { RunFolders, type RunRecords } from "./machine/run-folders.ts";
import { SessionFolders } from "./machine/session-folders.ts";
import { type AgentProgram, spawnAgent } from "./local-process/spawn-agent.ts";
import { WaitingAgents } from "./local-process/waiting-agents.ts";

/** The exit code of an agent that found its session locked by another agent (agent/main.ts). */
const taken = 75;

/** The runtime for one machine. Pods outlive it; another instance finds them again. */
export class LocalProcessRuntime implements PodRuntime {
	static readonly typedKwargs = ["waiting", "with_credentials"];
	static readonly kwargs = [
		"userHome",
		"environment",
		"projectRoot",
		"groups",
		"waiting",
		"listen_host",
		"with_credentials",
	];

	/** Resolves to the reason why it cannot run here; undefined when nothing is missing. */
	static async unusableBecause(): Promise<string | undefined> {
		try {
			refuseForeignSystem();
		} catch (error) {
			return error instanceof Error ? error.message : String(error);
		}
		return missingGit(inheritedEnvironment()["PATH"] ?? "");
	}

	/** Resolves to sentences about what it cannot guarantee to processes of this terminal. */
	static async lacksHere({ groups = "auto" }: Pick<LocalProcessOptions, "groups">): Promise<readonly string[]> {
		const shortcoming = await new ControlGroups(groups, new PodMarks("examination", "")).shortcoming();
		const rights = "Sessions have the rights of the user that starts the platform, and nothing keeps them apart";
		return shortcoming === undefined ? [rights] : [rights, shortcoming];
	}

	readonly isolation = "none";
	readonly hasHostFiles = true;
	readonly place: PodPlace | undefined;
	readonly #options: LocalProcessOptions;
	/** The names of the variables that sessions get with the credentials in them. */
	readonly #passed: readonly string[];
	readonly #program: AgentProgram;
	readonly #waiting: WaitingAgents;
	readonly #runs: RunFolders;
	readonly #folders: ProcessFolders;
	readonly #sessions: SessionFolders;
	readonly #foreign: ForeignFolders;
	readonly #marks: PodMarks;
	readonly #groups: ControlGroups;
	readonly #processes: MarkedProcesses;
	readonly #pods: PodList;
	readonly #sizes = new FolderSizes();
	readonly #watches = new Set<PodWatch>();
	/** Aborts the work that `open` has begun. */
	readonly #closing = new AbortController();

	/** @throws {RangeError} for an impossible value of `waiting` or `groups`. */
	constructor(options: LocalProcessOptions) {
		this.#passed = withCredentialsOf(options);
		const { dataDir, environment = environmentOf(dataDir, this.#passed), installation, markKey, host } = options;
		const { projectRoot = ownRoot } = options;
		this.#options = options;
		const listenHost = listenHostOf(options);
		this.place = host === undefined ? undefined : { host, isReachable: listenHost !== loopbackHost };
		this.#runs = new RunFolders(join(dataDir, "run"));
		this.#folders = new ProcessFolders(this.#runs);
		this.#marks = new PodMarks(installation, markKey, host, host === undefined ? undefined : this.#runs.id());
		this.#groups = new ControlGroups(options.groups ?? "auto", this.#marks);
		this.#program = {
			main: join(projectRoot, "agent/main.ts"),
			environment,
			installation,
			host: this.#marks.host,
			enter: (pid, { session_id, generation }) => this.#groups.enter(pid, { sessionId: session_id, generation }),
		};
		this.#waiting = new WaitingAgents(this.#program, join(dataDir, "run", ".waiting"), waitingOf(options));
		this.#sessions = new SessionFolders(join(dataDir, "sessions"));
		this.#foreign = new ForeignFolders(join(dataDir, "sessions"), this.#sessions);
		this.#processes = new MarkedProcesses(this.#marks, (cgroup) => this.#groups.launchOf(cgroup));
		this.#pods = new PodList(this.#runs, this.#processes, this.#groups, listenHost);
	}

	async open(): Promise<readonly string[]> {
		refuseForeignSystem();
		const { signal } = this.#closing;
		void this.#runs.trash.empty(signal);
		void this.#sessions.trash.empty(signal);
		void this.#groups.adopt();
		this.#waiting.keep(signal);
		// No session is in a container any more, so a later start may choose again.
		await removeMark(this.#options.dataDir);
		const [git, shortcoming, foreign] = await Promise.all([
			missingGit(this.#program.environment["PATH"] ?? ""),
			this.#groups.shortcoming(),
			this.#foreign.sentence(),
		]);
		return [git, shortcoming, foreign, withheldSentence(this.#passed)].filter((sentence) => sentence !== undefined);
	}

	async close(): Promise<void> {
		this.#closing.abort();
		this.#sizes.close();
		await this.#waiting.close();
	}

	inventory(): Promise<Inventory> {
		return inventoryOf(this.#pods, this.#runs, this.#sessions);
	}

	async find(sessionId: string, signal?: AbortSignal): Promise<Pod[]> {
		signal?.throwIfAborted();
		return this.#pods.ofSession(sessionId);
	}

	/** Starts the pod. @throws {Error} when a pod of another launch lives: two must never share a workspace. */
	async create(spec: PodSpec, signal?: AbortSignal): Promise<void> {
		const launch = { sessionId: spec.session_id, generation: spec.generation };
		if (isThere(await this.find(launch.sessionId, signal), launch)) return;
		await this.#folders.create(launch);
		for (const folder of new Set([launch.sessionId, spec.workspace_id])) await this.#foreign.take(folder);
		const folders = await this.#sessions.create(launch.sessionId, spec.workspace_id);
		failpoint("local-process.before-spawn");
		signal?.throwIfAborted();
		const document = this.#document(spec, launch, folders);
		const log = this.#runs.path(launch, "log");
		const agent = (await this.#waiting.take(document, log)) ?? (await spawnAgent(this.#program, document, log));
		const { pid = 0 } = agent.process;
		this.#processes.note(pid, { ...launch, isAgent: true });
		const look = () => this.#look(launch.sessionId);
		void agent.ended.then((outcome) => this.#recordEnd(launch, pid, outcome)).finally(look);
		look();
	}

	/** Ends the pod. When its agent is dead, nothing could end the rest in order, so it is killed at once. */
	async end(pod: Pod, graceMs: number, signal?: AbortSignal): Promise<void> {
		signal?.throwIfAborted();
		const records = await this.#runs.read(pod);
		const processes = (await this.#processes.ofSession(pod.sessionId)).filter((process) => isSameLaunch(process, pod));
		const agents = agentsAmong(processes, records);
		if (agents.length > 0 && records.endingSince === undefined) {
			for (const agent of agents) sendSignal(agent, "SIGTERM");
			// If its beginning cannot be recorded, an orderly end could never be found to have lasted too long.
			if (await this.#runs.markEnding(pod)) return;
		} else if (agents.length > 0 && !isOver(records.endingSince, graceMs)) {
			return;
		}
		await this.#groups.kill(pod);
		for (const agent of agents) sendSignal(agent, "SIGKILL", { group: true });
		for (const process of processes) sendSignal(process, "SIGKILL");
	}

	async forget(pod: Pod, signal?: AbortSignal): Promise<void> {
		const living = await this.#processes.ofSession(pod.sessionId, { surely: true });
		signal?.throwIfAborted();
		if (living.some((process) => isSameLaunch(process, pod)))
			throw new Error(`Cannot forget "${pod.name}": it still lives`);
		await this.#folders.removeSecrets(pod);
		await this.#folders.discard(pod);
	}

	async purge(sessionId: string, signal?: AbortSignal): Promise<void> {
		const [living] = await this.#processes.ofSession(sessionId, { surely: true });
		signal?.throwIfAborted();
		if (living) {
			throw new Error(`Cannot purge session "${sessionId}": "${podName(sessionId, living.generation)}" still lives`);
		}
		const launches = await this.#runs.ofSession(sessionId);
		await Promise.all(launches.map((launch) => this.#folders.discard(launch)));
		await this.#sessions.discardRecords(sessionId);
	}

	removeWorkspace(workspaceId: string): Promise<void> {
		return this.#sessions.discardWorkspace(workspaceId);
	}

	async measureWorkspace(workspaceId: string, terms: MeasureTerms): Promise<MeasuredFiles> {
		const { session = workspaceId } = terms;
		const runs = (await this.#runs.ofSession(session)).map((launch) => this.#runs.path(launch));
		// Commands can write beside the workspace, into their home and into their temporary folder.
		const folders = new Set([this.#sessions.whole(workspaceId), this.#sessions.whole(session), ...runs]);
		const pids = (await this.#processes.ofSession(session)).map(({ pid }) => pid);
		const { bytes, partial } = await this.#sizes.of([...folders], { ...terms, openedBy: { pids } });
		return { bytes, partial };
	}

	watch(onChange: (sessionId: string) => void, signal: AbortSignal): void {
		const watch = new PodWatch(this.#pods, this.#runs, onChange, signal);
		this.#watches.add(watch);
		signal.addEventListener("abort", () => this.#watches.delete(watch));
	}

	/** Records the end of an agent; otherwise one that dies at once would be started again and again. */
	async #recordEnd(launch: Launch, pid: number, outcome: number | string | null): Promise<void> {
		if (outcome === taken && (await this.#hasAgent(launch))) return;
		const failure = outcome === taken ? sessionLocked(this.#sessions.lock(launch.sessionId)) : agentCrashed(outcome);
		const { status, endingSince } = await this.#runs.read(launch).catch((): RunRecords => ({}));
		if (status || endingSince !== undefined) return;
		// The output is saved before the failure is reported, because the next pass removes the folder of the run.
		await this.#sessions.keepOutput(launch.sessionId, this.#runs.path(launch, "log")).catch(() => {});
		// When the folder is gone or cannot be written, the next observation finds no pod.
		await this.#runs.recordEnd(launch, pid, failure).catch(() => {});
	}

	/** Whether another agent of the session lives, of any launch; the one that ended was then superfluous. */
	async #hasAgent({ sessionId }: Launch): Promise<boolean> {
		return (await this.#processes.ofSession(sessionId, { surely: true })).some(({ isAgent }) => isAgent);
	}

	#look(sessionId: string): void {
		for (const watch of this.#watches) watch.look(sessionId);
	}

	#placeOf(): Pick<LaunchDocument, "host" | "listen_host"> {
		const { listen_host } = this.#options;
		const { host } = this.#marks;
		return { ...(host !== undefined && { host }), ...(listen_host !== undefined && { listen_host }) };
	}

	#document(
		{ workspace_id: _folder, owner: _person, ...spec }: PodSpec,
		launch: Launch,
		folders: { workspace: string; state: string },
	): LaunchDocument {
		return {
			...spec,
			...folders,
			// A pod with another marker would never be found again.
			installation: this.#options.installation,
			...this.#placeOf(),
			proof: this.#marks.proof(launch),
			status_file: this.#runs.path(launch, "status"),
			home: this.#folders.path(launch, "home"),
			secrets_folder: this.#folders.path(launch, "secrets"),
			temporary_folder: this.#folders.temporary(launch),
			git_home: this.#options.userHome ?? homedir(),
			agents: join(this.#options.dataDir, "agents"),
		};
	}
}

function agentCrashed(outcome: number | string | null): Failure {
	const message = `The session agent ended (${outcome}) before it could say why; its output is "agent.log" beside the session's workspace`;
	return { code: "AGENT_CRASHED", message };
}

function sessionLocked(file: string): Failure {
	const message = `Another process holds the session's lock "${file}", and it is no pod of this installation`;
	return { code: "SESSION_LOCKED", message };
}

/**
 * Whether the grace period is over. A clock that was set back and an unreadable time count as over, so that they keep
 * nothing alive.
 */
function isOver(since: number | undefined, graceMs: number): boolean {
	const elapsed = now() - (since ?? 0);
	return !(elapsed >= 0 && elapsed < graceMs);
}
