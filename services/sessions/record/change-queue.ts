/**
 * Serialises the changes of one document in this process, so that they lose no races against each other: each is a
 * read, a decision and a compare-and-set, of which many concurrent ones would nearly all be repeated (decision 0019).
 */
import { type Principal, principalKey } from "#shared/base/principal.ts";
import { bound } from "#shared/base/bounds.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { Tally } from "#shared/base/concurrency/tally.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import { repeatLostRaces } from "#shared/store/lost-races.ts";

export interface Requester {
	readonly principal: Principal;
	/** The time after which nobody waits for the answer, in milliseconds since 1970; default: none. */
	readonly deadline?: number | undefined;
}

/** The queues of one kind of document in this process. */
export class ChangeQueue {
	readonly #changes: KeyedQueues;
	/** The counts of waiting changes by principal, and by object and principal. */
	readonly #waiting = new Tally();

	/** @param patienceMs The longest wait in milliseconds, which leaves time for the change itself. */
	constructor(patienceMs: number = bound.changeWaitMs) {
		this.#changes = new KeyedQueues({ patienceMs, late: busy });
	}

	isBusy(key: string): boolean {
		return this.#changes.isBusy(key);
	}

	/**
	 * Returns the result of `attempt`. The attempt begins when the earlier changes are over, and is repeated while it
	 * resolves to undefined, which says that another process was faster. Jobs of the platform go first and are never
	 * refused.
	 * @throws whatever `attempt` throws; {TooManyRequestsError} when too many changes wait, or this one has waited or
	 * lost races for too long.
	 */
	async run<T>(key: string, { principal, deadline }: Requester, attempt: () => Promise<T | undefined>): Promise<T> {
		const isJob = principal.kind === "system";
		const leave = this.isBusy(key) && !isJob ? this.#wait(key, principalKey(principal)) : () => {};
		const change = () => {
			leave();
			return repeatLostRaces(attempt, { maxRaces: bound.changeRaces, refusal: busy });
		};
		return this.#changes.run(key, change, { deadline, isJob }).finally(leave);
	}

	/** Counts a waiting change until the returned function is called. @throws {TooManyRequestsError} when too many wait. */
	#wait(key: string, who: string): () => void {
		const bounds = new Map([
			[who, bound.changesOfOne],
			[`${key} ${who}`, bound.changesOfOneObject],
		]);
		for (const [line, most] of bounds) if (this.#waiting.of(line) >= most) throw busy();
		for (const line of bounds.keys()) this.#waiting.add(line);
		return () => {
			for (const line of bounds.keys()) this.#waiting.add(line, -1);
			bounds.clear();
		};
	}
}

function busy(): TooManyRequestsError {
	return new TooManyRequestsError("Too many changes of this object are under way, try again", "BUSY");
}
