/**
 * The queue of the platform: limits how much work runs at once, and shares the limit fairly. Waiting callers have their turns
 * in rotation, so a caller who asks for little is served quickly however much another one asks for.
 * @example
 * ```ts
 * const readings = new FairQueue({ atOnce: 8, share: 4, waiting: 100, waitingOfOne: 20 });
 * const answer = await readings.run(principalKey(principal), () => readLargeFile(path), { deadline });
 * ```
 */
import { isLate } from "../clock.ts";
import { TimeoutError, TooManyRequestsError } from "../errors.ts";
import { TimeLimits } from "./time-limits.ts";

/** The bounds of one {@link FairQueue}: numbers of works, all of them without a bound by default, unless they say otherwise. */
export interface QueueBounds {
	/** Works that run at once, of all callers together; default 1. */
	readonly atOnce?: number;
	/** Works of one caller that run at once. */
	readonly share?: number;
	/** Works that each caller may run even while others use up `atOnce`; default 0. */
	readonly own?: number;
	/** The upper bound of running works including those of `own`; default `atOnce`. */
	readonly most?: number;
	/** Waiting works of all callers together; `waitingOfOne` is the bound for one caller. */
	readonly waiting?: number;
	readonly waitingOfOne?: number;
	/** The longest wait in milliseconds. */
	readonly patienceMs?: number;
	/** Makes the error of a work that may not wait; default {@link TooManyRequestsError}. */
	readonly full?: () => Error;
	/** Makes the error of a work that has waited for too long; default {@link TimeoutError}. */
	readonly late?: () => Error;
}

/** The terms on which one work waits. */
export interface WaitTerms {
	/** The time after which nobody waits for the result, in milliseconds since 1970; default: none. */
	readonly deadline?: number | undefined;
	/** A job of the platform goes first, is never refused, and waits for as long as it takes. */
	readonly isJob?: boolean;
}

interface Waiting extends WaitTerms {
	readonly begin: () => void;
	readonly refuse: (error: Error) => void;
}

interface Caller {
	running: number;
	readonly waiting: Waiting[];
}

const defaults: Required<QueueBounds> = {
	atOnce: 1,
	share: Infinity,
	own: 0,
	most: Infinity,
	waiting: Infinity,
	waitingOfOne: Infinity,
	patienceMs: Infinity,
	full: () => new TooManyRequestsError("Too many requests of this kind are under way, try again", "BUSY"),
	late: () => new TimeoutError("The turn of this request came too late"),
};

const limits = new TimeLimits();

/** A semaphore with one queue per caller. It needs no closing. */
export class FairQueue {
	readonly #bounds: Required<QueueBounds>;
	/** Callers with running or waiting works, in the order of their next turns. */
	readonly #callers = new Map<string, Caller>();
	#running = 0;
	#waiting = 0;

	constructor(bounds: QueueBounds = {}) {
		this.#bounds = { ...defaults, most: bounds.atOnce ?? defaults.atOnce, ...bounds };
	}

	get waiting(): number {
		return this.#waiting;
	}

	get isIdle(): boolean {
		return this.#callers.size === 0;
	}

	/** Whether a work of this caller would begin at once. */
	isFree(who: string): boolean {
		const caller = this.#callers.get(who) ?? { running: 0, waiting: [] };
		return caller.waiting.length === 0 && this.#hasRoomFor(caller);
	}

	/**
	 * Runs `work` when it is the caller's turn, at once if nothing is in its way, and returns its result.
	 * @param who The key of the caller; works of all callers without one count together, with the key "".
	 * @throws whatever `work` throws; {TooManyRequestsError} when too many works wait already; {TimeoutError} when the turn
	 * comes after the deadline or not in time: the work is not begun then.
	 */
	async run<T>(who: string, work: () => Promise<T>, terms: WaitTerms = {}): Promise<T> {
		if (isLate(terms.deadline)) throw this.#bounds.late();
		const caller = this.#caller(who);
		if (caller.waiting.length === 0 && this.#hasRoomFor(caller)) this.#begin(caller);
		else await this.#turn(who, caller, terms);
		try {
			return await work();
		} finally {
			caller.running--;
			this.#running--;
			this.#forgetIdle(who, caller);
			if (this.#waiting > 0) this.#next();
		}
	}

	#caller(who: string): Caller {
		const known = this.#callers.get(who);
		if (known) return known;
		const caller: Caller = { running: 0, waiting: [] };
		this.#callers.set(who, caller);
		return caller;
	}

	#hasRoomFor({ running }: Caller): boolean {
		const { atOnce, share, own, most } = this.#bounds;
		return running < own ? this.#running < most : running < share && this.#running < atOnce;
	}

	#begin(caller: Caller): void {
		caller.running++;
		this.#running++;
	}

	/** Resolves when the caller's turn has begun; rejects with the refusal. */
	async #turn(who: string, caller: Caller, terms: WaitTerms): Promise<void> {
		const { waiting, waitingOfOne, patienceMs, full, late } = this.#bounds;
		const { isJob = false } = terms;
		if (!isJob && (this.#waiting >= waiting || caller.waiting.length >= waitingOfOne)) {
			this.#forgetIdle(who, caller);
			throw full();
		}
		const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
		const one: Waiting = { ...terms, begin, refuse };
		const behindJobs = isJob ? caller.waiting.findIndex((other) => !other.isJob) : -1;
		caller.waiting.splice(behindJobs === -1 ? caller.waiting.length : behindJobs, 0, one);
		this.#waiting++;
		if (isJob || patienceMs === Infinity) return promise;
		const limit = limits.begin(patienceMs, () => {
			this.#take(who, caller, one);
			refuse(late());
		});
		return promise.finally(() => limit.cancel());
	}

	#take(who: string, caller: Caller, one: Waiting): void {
		caller.waiting.splice(caller.waiting.indexOf(one), 1);
		this.#waiting--;
		this.#forgetIdle(who, caller);
	}

	#forgetIdle(who: string, { running, waiting }: Caller): void {
		if (running === 0 && waiting.length === 0) this.#callers.delete(who);
	}

	/**
	 * Starts a work of the caller whose last turn is longest ago, and puts that caller at the end of the order. Works for
	 * which nobody waits any more are refused on the way.
	 */
	#next(): void {
		for (const [who, caller] of this.#callers) {
			for (let one = caller.waiting[0]; one && this.#hasRoomFor(caller); one = caller.waiting[0]) {
				this.#take(who, caller, one);
				if (isLate(one.deadline)) {
					one.refuse(this.#bounds.late());
					continue;
				}
				this.#callers.delete(who);
				this.#callers.set(who, caller);
				this.#begin(caller);
				return one.begin();
			}
		}
	}
}
