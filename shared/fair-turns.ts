/**
 * What many want at once and only some can do: so much at a time, and those who wait have their turns one person after
 * the other. However much one of them asks for, another one is served as if that one had asked for little.
 */
import { type Principal, principalKey } from "./bus/principal.ts";
import { TooManyRequestsError } from "./errors.ts";

export interface TurnLimits {
	/** What is under way at a time. */
	readonly atOnce: number;
	/** Of it what one may have. */
	readonly share: number;
	/** What each may have in any case, also where others have taken all there is; default 0. */
	readonly own?: number;
	/** What is under way at the most, with what each has in any case; default `atOnce`. */
	readonly most?: number;
	/** What waits, and what of it may be of one. */
	readonly waiting: number;
	readonly waitingOfOne: number;
	/** Said to who is refused. */
	readonly refusal: string;
}

interface Asker {
	running: number;
	readonly waiting: (() => void)[];
}

export class FairTurns {
	readonly #limits: Required<TurnLimits>;
	/** Those who have something under way or wait for it, in the order of their turns. */
	readonly #askers = new Map<string, Asker>();
	#running = 0;
	#waiting = 0;

	constructor(limits: TurnLimits) {
		this.#limits = { own: 0, most: limits.atOnce, ...limits };
	}

	/**
	 * What `work` gives, when it is its turn.
	 * @param principal Undefined: somebody unknown, all of whom are as one.
	 * @throws whatever `work` throws; {TooManyRequestsError} when too much waits already.
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

	/** Resolves when it has begun. @throws {TooManyRequestsError} */
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

	/** Whoever has waited for a turn longest; then theirs comes last. */
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
