/** Lists the pods by the folders of their runs and their living processes, computed anew each time. */
import type { Pod } from "../../pod-runtime.ts";
import type { ControlGroups } from "./control-groups.ts";
import { type Launch, launchName } from "../launches/launch.ts";
import { podFrom } from "./local-pod.ts";
import type { MarkedProcess, MarkedProcesses } from "./marked-processes.ts";
import { unfinishedOf } from "../launches/launched-pods.ts";
import type { RunFolders, RunRecords } from "../machine/run-folders.ts";

/** The list of one installation's pods. It has no state. */
export class PodList {
	readonly #runs: RunFolders;
	readonly #processes: MarkedProcesses;
	readonly #groups: ControlGroups;
	readonly #listenHost: string;

	/** @param listenHost The host at which pods listen. */
	constructor(runs: RunFolders, processes: MarkedProcesses, groups: ControlGroups, listenHost: string) {
		this.#listenHost = listenHost;
		this.#runs = runs;
		this.#processes = processes;
		this.#groups = groups;
	}

	/** Returns the pods and, as `unfinished`, the empty folders of launches without a living process. */
	async all(): Promise<{ pods: Pod[]; unfinished: Pod[] }> {
		const launches = await this.#runs.launches();
		const pods = await this.#pods(launches, ({ surely }) =>
			surely ? this.#processes.scan() : this.#processes.recent(),
		);
		return { pods, unfinished: unfinishedOf(launches, pods) };
	}

	async ofSession(sessionId: string): Promise<Pod[]> {
		return this.#pods(await this.#runs.ofSession(sessionId), (how) => this.#processes.ofSession(sessionId, how));
	}

	/** Returns for each session, as a text, its launches with a folder and the processes that are or were an agent. */
	async glimpse(): Promise<Map<string, string>> {
		const launches = await this.#runs.launches();
		const processes = await this.#processes.recent();
		const glimpsed = new Map<string, string>();
		const add = (id: string, what: string | number) => glimpsed.set(id, `${glimpsed.get(id) ?? ""} ${what}`);
		for (const { sessionId, generation } of launches) add(sessionId, generation);
		for (const { sessionId, isAgent, pid } of processes) add(sessionId, isAgent ? pid : "other");
		return glimpsed;
	}

	/**
	 * Reads the records before the processes: a pod that is started meanwhile then counts as launching, not as gone. No
	 * pod counts as gone because of an earlier scan.
	 */
	async #pods(
		folders: readonly Launch[],
		processes: (how: { surely: boolean }) => Promise<MarkedProcess[]>,
	): Promise<Pod[]> {
		const records = await Promise.all(folders.map((launch) => this.#runs.read(launch)));
		const known = new Map(folders.map((launch, index) => [launchName(launch), records[index]]));
		const podsFrom = (living: readonly MarkedProcess[]) => this.#podsFrom(folders, known, living);
		const pods = podsFrom(await processes({ surely: false }));
		if (pods.every(({ state }) => state !== "gone")) return pods;
		const surely = podsFrom(await processes({ surely: true }));
		for (const pod of surely) if (pod.state === "gone") await this.#groups.leave(pod);
		return surely;
	}

	/** Returns the pods in the order of their generations. */
	#podsFrom(
		folders: readonly Launch[],
		records: ReadonlyMap<string, RunRecords | undefined>,
		processes: readonly MarkedProcess[],
	): Pod[] {
		const launches = new Map([...folders, ...processes].map((launch) => [launchName(launch), launch]));
		const living = Map.groupBy(processes, launchName);
		const pods = [...launches].map(([name, launch]) =>
			podFrom(launch, living.get(name) ?? [], records.get(name) ?? {}, this.#listenHost),
		);
		return pods.filter((pod) => pod !== undefined).toSorted((one, other) => one.generation - other.generation);
	}
}
