/**
 * Removes the files of deleted workspaces and measures the others, as the sessions service says. It polls every second;
 * hints only make it poll sooner. One file operation after the other is under way, and one measurement at a time.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import type { WorkspaceTask, WorkspaceTaskReport } from "#shared/contracts/workspaces/workspace-work.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { DeduplicatingLog, sentenceOf } from "./deduplicating-log.ts";
import type { PodRuntime } from "./pod-runtime.ts";
import { WakeUp } from "./reconciliation/wake-up.ts";

const pollMs = 1_000;
/** The most removals that are claimed at a time; a lease covers all of them. */
const maxRemovals = 16;
/** A measurement is followed by a pause of this many times its duration. */
const pauseShare = 4;

export interface WorkspaceTasks {
	/** Claims removals, and one measurement if `measure` is true. */
	claim(limit: number, measure: boolean): Promise<WorkspaceTask[]>;
	/** Reports that a task was done; false when it has been claimed again since. */
	report(done: WorkspaceTaskReport): Promise<boolean>;
}

/** The keeper of one process. The pod manager stops it. */
export class WorkspaceKeeper {
	readonly #runtime: Pick<PodRuntime, "removeWorkspace" | "measureWorkspace">;
	readonly #tasks: WorkspaceTasks;
	readonly #log: DeduplicatingLog;
	readonly #wakeUp = new WakeUp();
	readonly #stopping = new AbortController();
	#measuring: Promise<void> | undefined;
	#failures = 0;
	readonly #loop: Promise<void>;

	/** Starts at once. @param write Receives a sentence for every new kind of failure. */
	constructor(
		runtime: Pick<PodRuntime, "removeWorkspace" | "measureWorkspace">,
		tasks: WorkspaceTasks,
		write: (sentence: string) => void,
	) {
		this.#runtime = runtime;
		this.#tasks = tasks;
		this.#log = new DeduplicatingLog(write);
		this.#loop = this.#run();
	}

	/** Polls now, because a workspace may be due. */
	hint(): void {
		this.#wakeUp.signal();
	}

	/** Ends; resolves when what is under way is over. A measurement is given up. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#wakeUp.signal();
		await this.#loop;
		await this.#measuring;
		this.#wakeUp.cancel();
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		while (!signal.aborted) {
			const isMore = await this.#poll();
			if (!isMore) this.#wakeUp.signalWithin(pollMs);
			else this.#wakeUp.signal();
			await this.#wakeUp.signalled();
			// A sessions service that does not answer is not polled sooner because of hints.
			if (this.#failures > 0) await sleep(pollMs, signal);
		}
	}

	/** Does what is due; resolves to whether more may be due. */
	async #poll(): Promise<boolean> {
		try {
			const tasks = await this.#tasks.claim(maxRemovals, this.#measuring === undefined);
			this.#failures = 0;
			for (const task of tasks) {
				if (task.kind === "remove") await this.#remove(task);
				else this.#measuring = this.#measureSlowly(task).finally(() => (this.#measuring = undefined));
			}
			return tasks.length >= maxRemovals;
		} catch (error) {
			this.#log.failed(++this.#failures, "Cannot keep workspaces", error);
			return false;
		}
	}

	/** Removes the files; a failed removal is claimed again when its lease has ended. */
	async #remove(task: WorkspaceTask): Promise<void> {
		try {
			failpoint("workspaces.before-removal");
			await this.#runtime.removeWorkspace(task.id);
			await this.#tasks.report(task);
		} catch (error) {
			this.#log.write(`Cannot remove the files of workspace "${task.id}": ${sentenceOf(error)}`);
		}
	}

	/** Leaves most of the time to others, whatever a measurement takes. */
	async #measureSlowly(task: WorkspaceTask): Promise<void> {
		const began = monotonic();
		await this.#measure(task);
		await sleep((monotonic() - began) * pauseShare, this.#stopping.signal);
	}

	async #measure(task: WorkspaceTask): Promise<void> {
		try {
			const terms = { signal: this.#stopping.signal, session: task.session };
			const { bytes, partial } = await this.#runtime.measureWorkspace(task.id, terms);
			await this.#tasks.report({ ...task, bytes, ...(partial && { partial }) });
		} catch (error) {
			if (this.#stopping.signal.aborted) return;
			this.#log.write(`Cannot measure workspace "${task.id}": ${sentenceOf(error)}`);
		}
	}
}
