/**
 * Compares all pods with all sessions every minute, to find what passes over single sessions cannot see. A session
 * whose pods differ from its desired state gets a pass; a pod that no session has wanted for two minutes is ended. The
 * first sweep reads all sessions, because one may have lost its pod while no process watched; later ones do so every hour.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import type { Expectation } from "#shared/contracts/sessions/session-work.ts";
import { graceMs } from "./pass.ts";
import { unlike } from "./unlike.ts";
import type { Pod, PodRuntime } from "../pod-runtime.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";

/** One page of desired states with the cursor of the next one. */
export interface ExpectedPage {
	readonly sessions: readonly Expectation[];
	readonly next?: string | undefined;
}

export type ExpectationQuery = { readonly after?: string | undefined } | { readonly ids: string[] };

export interface SweepDependencies {
	readonly runtime: PodRuntime;
	/**
	 * Returns a page of all sessions, or of those of `ids` that exist. @throws {Error} when they cannot be read; then
	 * nothing is changed.
	 */
	readonly expected: (asked: ExpectationQuery) => Promise<ExpectedPage>;
	/** Returns those ids, at most {@link maxIds}, that belong to no workspace. */
	readonly unknownWorkspaces: (ids: string[]) => Promise<readonly string[]>;
	/** Requests a pass over one session. */
	readonly look: (sessionId: string) => void;
	/** Learns all pods that are there. It must not throw. */
	readonly found?: ((pods: readonly Pod[]) => void) | undefined;
	/** Takes all troubles that remain after a sweep. */
	readonly remaining?: ((troubles: readonly string[]) => void) | undefined;
}

/** The intervals of a {@link Sweep}, in milliseconds. */
interface SweepTimes {
	readonly everyMs: number;
	/** The pause while pods are being ended, and after a failed sweep. It grows each time. */
	readonly soonMs: number;
	/** How long a pod must have been unwanted in all sweeps before it is ended. */
	readonly unwantedMs: number;
}

/** The most sessions in one request. */
const maxIds = 500;

const usual: SweepTimes = { everyMs: 60_000, soonMs: 1_000, unwantedMs: 120_000 };

/** The pause between two sweeps that read all sessions, in milliseconds. */
const allAgainMs = 3_600_000;

/** The sweep of one process. The pod manager stops it. */
export class Sweep {
	readonly #dependencies: SweepDependencies;
	readonly #times: SweepTimes;
	readonly #write: (sentence: string) => void;
	readonly #log: DeduplicatingLog;
	readonly #stopping = new AbortController();
	/** Pods that no session wanted at the last sweep, by name, with the monotonic time since when. */
	#unwanted = new Map<string, number>();
	#failures = 0;
	/** The sweeps in a row in which pods were ended: something that somebody keeps from going must not keep the others busy. */
	#endings = 0;
	#pods: readonly Pod[] = [];
	#hasReportedOrphans = false;
	/** When it reads all sessions again, on the monotonic clock. */
	#allAt = -Infinity;
	readonly #loop: Promise<void>;

	/** Starts at once. @param write Receives a sentence for each finding. */
	constructor(dependencies: SweepDependencies, write: (sentence: string) => void, times: SweepTimes = usual) {
		this.#dependencies = dependencies;
		this.#times = times;
		this.#write = write;
		this.#log = new DeduplicatingLog(write);
		this.#loop = this.#run();
	}

	/** The pods as the last sweep found them, which is at most a minute ago. */
	get pods(): readonly Pod[] {
		return this.#pods;
	}

	/** Ends the sweeps; resolves when the one under way is over. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#loop;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		while (!signal.aborted) await sleep(await this.#sweep(), signal);
	}

	/** Sweeps; resolves to the milliseconds until the next sweep. */
	async #sweep(): Promise<number> {
		try {
			const ended = await this.#compare();
			this.#failures = 0;
			this.#endings = ended > 0 ? this.#endings + 1 : 0;
			if (ended > 0) return this.#soon(this.#endings);
			return Math.min(Math.max(this.#allAt - monotonic(), this.#times.soonMs), this.#times.everyMs);
		} catch (error) {
			this.#log.failed(++this.#failures, "Cannot sweep", error);
			return this.#soon(this.#failures);
		}
	}

	#soon(times: number): number {
		return Math.min(this.#times.soonMs * 2 ** (times - 1), this.#times.everyMs);
	}

	/**
	 * Compares. Pods are read before sessions: a session that is created or started meanwhile then has a pod that is
	 * not among them. Resolves to the count of pods that are being ended.
	 */
	async #compare(): Promise<number> {
		const { runtime } = this.#dependencies;
		const { pods, unfinished, workspaces, troubles } = await runtime.inventory();
		this.#pods = pods;
		// They may be the reason why no session can be read.
		for (const trouble of troubles) this.#log.write(trouble);
		this.#dependencies.remaining?.(troubles);
		const here = [...pods, ...unfinished];
		const isAll = monotonic() >= this.#allAt;
		const sessions = await this.#sessions(here, isAll);
		this.#dependencies.found?.(pods);
		for (const id of unlike(sessions, pods)) this.#dependencies.look(id);
		if (!this.#hasReportedOrphans && workspaces) {
			await this.#reportOrphans(workspaces.filter((id) => !sessions.has(id)));
			this.#hasReportedOrphans = true;
		}
		if (isAll) this.#allAt = monotonic() + allAgainMs;
		const unwanted = here.filter((pod) => !isWanted(pod, sessions.get(pod.sessionId)));
		const overdue = this.#remember(unwanted);
		for (const pod of overdue) await this.#remove(pod);
		return overdue.length;
	}

	/** Reads the sessions. An answer without any session while there are pods is trusted only when it is repeated. */
	async #sessions(pods: readonly Pod[], isAll: boolean): Promise<Map<string, Expectation>> {
		const read = () => (isAll ? this.#readAll() : this.#readOf(pods));
		const sessions = await read();
		return sessions.size === 0 && pods.length > 0 ? read() : sessions;
	}

	async #readAll(): Promise<Map<string, Expectation>> {
		const sessions = new Map<string, Expectation>();
		for (let after: string | undefined; ; ) {
			const page = await this.#dependencies.expected({ after });
			for (const session of page.sessions) sessions.set(session.id, session);
			if (page.next === undefined) return sessions;
			after = page.next;
		}
	}

	async #readOf(pods: readonly Pod[]): Promise<Map<string, Expectation>> {
		const sessions = new Map<string, Expectation>();
		const ids = [...new Set(pods.map(({ sessionId }) => sessionId))];
		for (let from = 0; from < ids.length; from += maxIds) {
			const page = await this.#dependencies.expected({ ids: ids.slice(from, from + maxIds) });
			for (const session of page.sessions) sessions.set(session.id, session);
		}
		return sessions;
	}

	/** Returns the pods that were unwanted for long enough. A pod that was wanted in between starts over. */
	#remember(unwanted: readonly Pod[]): Pod[] {
		const at = monotonic();
		this.#unwanted = new Map(unwanted.map(({ name }) => [name, this.#unwanted.get(name) ?? at]));
		return unwanted.filter(({ name }) => at - (this.#unwanted.get(name) ?? at) >= this.#times.unwantedMs);
	}

	async #remove(pod: Pod): Promise<void> {
		this.#log.write(`No session wants "${pod.name}": it is ended`);
		const { runtime } = this.#dependencies;
		await (pod.state === "gone" ? runtime.forget(pod) : runtime.end(pod, graceMs)).catch((error: unknown) => {
			this.#log.write(`Cannot end "${pod.name}": ${sentenceOf(error)}`);
		});
	}

	/** Logs files that belong to nothing stored. They may be people's work, so they stay until somebody decides. */
	async #reportOrphans(ids: readonly string[]): Promise<void> {
		let count = 0;
		for (let from = 0; from < ids.length; from += maxIds)
			count += (await this.#dependencies.unknownWorkspaces(ids.slice(from, from + maxIds))).length;
		if (count > 0) this.#write(`${count} folder(s) of files belong to no session and no workspace that is stored`);
	}
}

/** Whether a session wants this launch; what a failed one has left would otherwise stay until its next start. */
function isWanted({ generation }: Pod, session: Expectation | undefined): boolean {
	return session?.desired === "run" && session.generation === generation;
}
