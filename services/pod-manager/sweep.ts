/**
 * Looks at all pods together, every minute, and asks for the sessions that have one: what passes over single sessions
 * cannot see. A session whose pods are not as they should be gets a pass; a pod that no session wants for two minutes is
 * ended. The first time it asks for all sessions: one may have lost its pod while nobody watched.
 */
import { monotonic, sleep } from "#shared/clock.ts";
import type { Expectation } from "#shared/contracts/session-work.ts";
import { graceMs } from "./pass.ts";
import type { Pod, PodRuntime } from "./pod-runtime.ts";
import { DeduplicatingLog, sentenceOf } from "./deduplicating-log.ts";

export interface ExpectedPage {
	readonly sessions: readonly Expectation[];
	readonly next?: string | undefined;
}

export type Asked = { readonly after?: string | undefined } | { readonly ids: string[] };

export interface SweepDependencies {
	readonly runtime: PodRuntime;
	/** A page of all sessions, or of `ids` those that exist. @throws {Error} when they cannot be read: then nothing is touched. */
	readonly expected: (asked: Asked) => Promise<ExpectedPage>;
	/** Asks for a pass over one session. */
	readonly look: (sessionId: string) => void;
}

export interface SweepTimes {
	readonly everyMs: number;
	/** While what it ends is still there; and after a sweep that failed, longer each time. */
	readonly soonMs: number;
	/** How long a pod must have been unwanted, each time anybody looked, before it is ended. */
	readonly unwantedMs: number;
}

/** Sessions that are asked for at once. */
const maxIds = 500;

const usual: SweepTimes = { everyMs: 60_000, soonMs: 1_000, unwantedMs: 120_000 };

/** Sweeps that may fail before it is worth a line: at start services come up in any order. */
const silentFailures = 4;

export class Sweep {
	readonly #dependencies: SweepDependencies;
	readonly #times: SweepTimes;
	readonly #write: (sentence: string) => void;
	readonly #log: DeduplicatingLog;
	readonly #stopping = new AbortController();
	/** Pods that no session wanted at the last look, by name, with the monotonic time since when. */
	#unwanted = new Map<string, number>();
	#failures = 0;
	/** Whether it has compared with all sessions once. */
	#comparedAll = false;
	readonly #loop: Promise<void>;

	/** Starts at once. @param write Gets a sentence for what was found. */
	constructor(dependencies: SweepDependencies, write: (sentence: string) => void, times: SweepTimes = usual) {
		this.#dependencies = dependencies;
		this.#times = times;
		this.#write = write;
		this.#log = new DeduplicatingLog(write);
		this.#loop = this.#run();
	}

	/** Waits for the sweep under way. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#loop;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		while (!signal.aborted) await sleep(await this.#sweep(), signal);
	}

	/** Resolves to the milliseconds until the next one. */
	async #sweep(): Promise<number> {
		try {
			const ended = await this.#compare();
			this.#failures = 0;
			return ended > 0 ? this.#times.soonMs : this.#times.everyMs;
		} catch (error) {
			this.#failures++;
			if (this.#failures >= silentFailures) this.#log.tell(`Cannot sweep: ${sentenceOf(error)}`);
			return Math.min(this.#times.soonMs * 2 ** (this.#failures - 1), this.#times.everyMs);
		}
	}

	/**
	 * Pods first: a session that is created or started after that has a pod that is not among them.
	 * Resolves to the number of pods that are being ended.
	 */
	async #compare(): Promise<number> {
		const { runtime } = this.#dependencies;
		const { pods, unfinished, workspaces, troubles } = await runtime.inventory();
		const here = [...pods, ...unfinished];
		const sessions = await this.#sessions(here);
		for (const id of unlike(sessions, pods)) this.#dependencies.look(id);
		if (!this.#comparedAll) this.#tellKept(workspaces.filter((id) => !sessions.has(id)));
		this.#comparedAll = true;
		for (const trouble of troubles) this.#log.tell(trouble);
		const unwanted = here.filter((pod) => sessions.get(pod.sessionId)?.generation !== pod.generation);
		const overdue = this.#remember(unwanted);
		for (const pod of overdue) await this.#remove(pod);
		return overdue.length;
	}

	/** No sessions at all while there are pods is believed only when it is said twice. */
	async #sessions(pods: readonly Pod[]): Promise<Map<string, Expectation>> {
		const read = () => (this.#comparedAll ? this.#readOf(pods) : this.#readAll());
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

	/** Those that were unwanted for long enough. One that was wanted in between begins anew. */
	#remember(unwanted: readonly Pod[]): Pod[] {
		const at = monotonic();
		this.#unwanted = new Map(unwanted.map(({ name }) => [name, this.#unwanted.get(name) ?? at]));
		return unwanted.filter(({ name }) => at - (this.#unwanted.get(name) ?? at) >= this.#times.unwantedMs);
	}

	async #remove(pod: Pod): Promise<void> {
		this.#log.tell(`No session wants "${pod.name}": it is ended`);
		const { runtime } = this.#dependencies;
		await (pod.state === "gone" ? runtime.forget(pod) : runtime.end(pod, graceMs)).catch((error: unknown) => {
			this.#log.tell(`Cannot end "${pod.name}": ${sentenceOf(error)}`);
		});
	}

	/** They hold work of people, so they stay until somebody decides. */
	#tellKept(ids: readonly string[]): void {
		if (ids.length > 0) this.#write(`Kept: ${ids.length} workspace(s) of sessions that were deleted without them`);
	}
}

/** Sessions whose pods are not what they should be, as far as one can see from outside. Pure. */
export function unlike(sessions: ReadonlyMap<string, Expectation>, pods: readonly Pod[]): Set<string> {
	const right = new Set<string>();
	const found = new Set<string>();
	for (const { sessionId, generation, state } of pods) {
		const session = sessions.get(sessionId);
		if (!session) continue;
		const wanted = session.desired === "run" && session.generation === generation && state !== "gone";
		(wanted ? right : found).add(sessionId);
	}
	for (const { id, desired } of sessions.values()) if (desired === "run" && !right.has(id)) found.add(id);
	return found;
}
