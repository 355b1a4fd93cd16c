/**
 * The presence of this process among the others of the platform: it announces itself every ten seconds, does not start
 * beside processes that it cannot work with, and is not ready while its clock is wrong. When two processes that cannot work
 * together start at the same moment, the one that registered first stays, and the other ends.
 */
import { shownIn } from "#shared/base/shown-sentences.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { every, machineTime, monotonic, now, sleep, type Timer, trustMachineTime } from "#shared/base/clock.ts";
import type { Platform } from "./platform.ts";
import { type ProcessEntry, type ProcessView, processes as contract } from "#shared/contracts/processes.ts";
import { clockSentence, isBefore, unlikeness } from "./presence/unlikeness.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { StartError } from "#shared/base/start-error.ts";

/** The registry, in this process or over the bus. */
export interface Registry {
	announce(entry: ProcessEntry): Promise<ProcessView>;
	leave(id: string): Promise<unknown>;
}

/** Returns the registry of a process with a store, over the bus. */
export function remoteRegistry(bus: Caller): Registry {
	const meta = { principal: vouch(systemPrincipal("process")) };
	return {
		announce: (entry) => call(bus, contract.actions.announce, entry, { meta, timeout: timeoutMs }),
		leave: (id) => call(bus, contract.actions.leave, { id }, { meta, timeout: timeoutMs }),
	};
}

/** The interval of announcements, in milliseconds. */
const everyMs = 10_000;
/** The timeout of one announcement over the bus. */
const timeoutMs = 2_000;
/** The pause before a conflict is looked at again: the other process may have been killed a moment ago. */
const againMs = 1_000;
/** The interval of looks whether somebody has set the wall clock, in milliseconds. */
const clockMs = 500;

interface Findings {
	/** The sentence for which this process must not start; undefined: there is none. */
	readonly sentence: string | undefined;
	/** Whether it is certain: nothing that waiting could change. */
	readonly isCertain: boolean;
	/** Whether it is about the clock of this process. */
	readonly isOfClock?: boolean;
}

/** The presence of one process. The process joins after its store is open, follows when it has started, and leaves. */
export class ProcessPresence {
	readonly #platform: Pick<Platform, "shortcomings" | "readiness" | "log" | "waitFor">;
	#entry: ProcessEntry;
	#registry: Registry | undefined;
	#job: RecurringJob | undefined;
	#clockWatch: Timer | undefined;
	/** When each process of a conflict had been seen at the first look, by the store's clock. */
	readonly #seen = new Map<string, number>();
	/** The sentences of this presence among the shortcomings. */
	readonly #tell: (sentences: readonly string[]) => void;
	#problem: string | undefined;
	#wasAnswered = false;

	constructor(entry: ProcessEntry, platform: Pick<Platform, "shortcomings" | "readiness" | "log" | "waitFor">) {
		this.#entry = entry;
		this.#platform = platform;
		this.#tell = shownIn(platform.shortcomings);
		platform.readiness.set("processes", async () => {
			if (this.#problem !== undefined) throw new Error(this.#problem);
		});
	}

	/** Whether a process with the store has answered this one. */
	get wasAnswered(): boolean {
		return this.#wasAnswered;
	}

	/**
	 * Joins the processes that run. A process that was killed a moment ago is waited for until it counts as ended.
	 * @throws {StartError} when this process cannot work beside one that runs.
	 */
	async join(registry: Registry): Promise<void> {
		this.#registry = registry;
		const entry = { ...this.#entry };
		delete entry.isJoining;
		this.#entry = { ...entry, isJoining: true };
		for (;;) {
			const { sentence, isCertain } = await this.#announce(registry);
			if (sentence === undefined) break;
			if (isCertain) {
				await registry.leave(entry.id).catch(() => {});
				throw new StartError(sentence);
			}
			this.#platform.waitFor?.(`the start waits until a process that may have ended counts as ended: ${sentence}`);
			await sleep(againMs);
		}
		// Those that registered later learn that this one stays.
		this.#entry = entry;
		await this.#announce(registry);
	}

	/**
	 * Adds the place of the local pods of this process, which registers anew with it. @throws {StartError} as
	 * {@link join} does.
	 */
	async addPlace(place: ProcessEntry["place"]): Promise<void> {
		if (place === undefined) return;
		this.#entry = { ...this.#entry, place: { ...place } };
		if (!this.#registry) return;
		await this.#registry.leave(this.#entry.id);
		await this.join(this.#registry);
	}

	/**
	 * Announces the process from now on. Without a store it joins when a process with one answers.
	 * @param remote The registry of another process. @param onRefused Called when this process must not run.
	 */
	follow(remote: Registry, onRefused: (error: StartError) => void): void {
		const join = async () => {
			try {
				await this.join(remote);
			} catch (error) {
				// Nobody answers yet: it is tried again.
				this.#registry = undefined;
				if (error instanceof StartError) onRefused(error);
			}
		};
		const work = async () => (this.#registry ? this.#look(this.#registry) : join());
		this.#job = new RecurringJob({
			everyMs,
			work,
			onError: (error) => this.#platform.log.error("This process cannot announce itself:", error),
		});
		this.#job.start();
		this.#clockWatch = every(clockMs, () => this.#lookAtClock());
		if (!this.#registry) this.#job.runNow();
	}

	/** Leaves, so that a next start with other values is not refused. */
	async leave(): Promise<void> {
		this.#clockWatch?.cancel();
		await this.#job?.stop();
		await this.#registry?.leave(this.#entry.id).catch(() => {});
	}

	async #look(registry: Registry): Promise<void> {
		const { sentence, isOfClock } = await this.#announce(registry);
		if (sentence !== undefined && sentence !== this.#problem)
			this.#platform.log.error("This process is not like the others:", sentence);
		// A newcomer that is unlike is refused itself, so it makes nobody unready who has been working.
		this.#problem = isOfClock ? sentence : undefined;
		if (sentence !== undefined) this.#tell([sentence]);
	}

	/** The store's clock says at once whether a wall clock that was set is right or wrong now. */
	#lookAtClock(): void {
		if (this.#problem === undefined && clockSentence(machineTime() - now()) !== undefined) this.#job?.runNow();
	}

	async #announce(registry: Registry): Promise<Findings> {
		const [begun, since] = [machineTime(), monotonic()];
		const { now: time, others, since: registered } = await registry.announce(this.#entry);
		this.#wasAnswered = true;
		const tookMs = monotonic() - since;
		const clock = clockSentence(skewOf(begun - time, tookMs));
		if (clock !== undefined) return { sentence: clock, isCertain: true, isOfClock: true };
		trustMachineTime();
		const own = { entry: this.#entry, since: registered };
		const { conflict, shortcomings } = unlikeness(
			this.#entry,
			others.filter((other) => !this.#entry.isJoining || isBefore(other, own)).map(({ entry }) => entry),
		);
		if (conflict === undefined) {
			this.#tell(shortcomings);
			return { sentence: undefined, isCertain: true };
		}
		const { seen = 0, entry: other } = others.find(({ entry }) => entry.id === conflict.with) ?? {};
		const first = this.#seen.get(conflict.with) ?? seen;
		this.#seen.set(conflict.with, first);
		return { sentence: conflict.sentence, isCertain: !other?.isJoining && seen !== first };
	}
}

/** Returns how far a clock is surely ahead: the other one was read at some moment of the request. */
function skewOf(aheadMs: number, tookMs: number): number {
	if (aheadMs > 0) return aheadMs;
	return Math.min(0, aheadMs + tookMs);
}
