/**
 * Limits how much work runs at once and shares the limit fairly. Waiting callers have their turns in rotation, so a
 * caller who asks for little is served quickly however much another one asks for.
 * @example
 * ```ts
 * const turns = new FairTurns({ atOnce: 8, share: 4, waiting: 100, waitingOfOne: 20, refusal: "Busy, try again" });
 * const answer = await turns.run(principal, () => readLargeFile(path));
 * ```
 */
import { type Principal, principalKey } from "../principal.ts";
import { TooManyRequestsError } from "../errors.ts";

/** The limits of one {@link FairTurns}; all members but `refusal` are numbers of calls. */
export interface TurnLimits {
	/** Calls that run at once, of all callers together. */
	readonly atOnce: number;
	/** Calls of one caller that run at once. */
	readonly share: number;
	/** Calls that each caller may run even while others use up `atOnce`; default 0. */
	readonly own?: number;
	/** The upper bound of running calls including those of `own`; default `atOnce`. */
	readonly most?: number;
	/** Waiting calls of all callers together; `waitingOfOne` is the bound for one caller. */
	readonly waiting: number;
	readonly waitingOfOne: number;
	/** The sentence of the error for a refused caller. */
	readonly refusal: string;
}

interface Asker {
	running: number;
	readonly waiting: (() => void)[];
}

/** A semaphore with one queue per caller. It holds no timers and needs no closing. */
export class FairTurns {
	readonly #limits: Required<TurnLimits>;
	/** Callers with running or waiting calls, in the order of their next turns. */
	readonly #askers = new Map<string, Asker>();
	#running = 0;
	#waiting = 0;

	constructor(limits: TurnLimits) {
		this.#limits = { own: 0, most: limits.atOnce, ...limits };
	}

	/** The count of waiting calls. */
	get waiting(): number {
		return this.#waiting;
	}

	/**
	 * Runs `work` when it is the caller's turn, and returns its result.
	 * @param principal Undefined: an unknown caller; all unknown callers count as one.
	 * @throws whatever `work` throws; {TooManyRequestsError} when too many calls wait already.
	 */
	async run<T>(principal: Principal | undefined, work: () => Promise<T>): Promise<T> {
		const who = principal === undefined ? "" : principalKey(principal);
		const asker = this.#asker(who);
		if (asker.waiting.length === 0 && this.#hasRoomFor(asker)) this.#begin(asker);
		else await this.#turn(who, asker);
		try {
			return await work();
		} finally {
			asker.running--;
			this.#running--;
			this.#forgetIdle(who, asker);
			if (this.#waiting > 0) this.#next();
		}
	}

	#asker(who: string): Asker {
		const known = this.#askers.get(who);
		if (known) return known;
		const asker: Asker = { running: 0, waiting: [] };
		this.#askers.set(who, asker);
		return asker;
	}

	#hasRoomFor({ running }: Asker): boolean {
		const { atOnce, share, own, most } = this.#limits;
		return running < own ? this.#running < most : running < share && this.#running < atOnce;
	}

	#begin(asker: Asker): void {
		asker.running++;
		this.#running++;
	}

	/** Resolves when the caller's turn has begun. @throws {TooManyRequestsError} */
	async #turn(who: string, asker: Asker): Promise<void> {
		const { waiting, waitingOfOne, refusal } = this.#limits;
		if (this.#waiting >= waiting || asker.waiting.length >= waitingOfOne) {
			this.#forgetIdle(who, asker);
			throw new TooManyRequestsError(refusal, "BUSY");
		}
		this.#waiting++;
		await new Promise<void>((resolve) => asker.waiting.push(resolve));
	}

	#forgetIdle(who: string, { running, waiting }: Asker): void {
		if (running === 0 && waiting.length === 0) this.#askers.delete(who);
	}

	/** Starts a call of the caller whose last turn is longest ago, and puts that caller at the end of the order. */
	#next(): void {
		for (const [who, asker] of this.#askers) {
			if (asker.waiting.length === 0 || !this.#hasRoomFor(asker)) continue;
			this.#askers.delete(who);
			this.#askers.set(who, asker);
			this.#waiting--;
			this.#begin(asker);
			asker.waiting.shift()?.();
			return;
		}
	}
}
