/** Serialises work per key in this process, so that it does not lose races against itself. */
import { isLate } from "#shared/bus/service.ts";
import { TimeoutError } from "#shared/base/errors.ts";

export class KeyedMutex {
	readonly #last = new Map<string, Promise<unknown>>();
	/** Work that has not begun, shared by all callers that request it before. */
	readonly #shared = new Map<string, Promise<void>>();

	/**
	 * Runs `work` when all earlier work of this key is over; resolves to its result.
	 * @param deadline The time after which nobody waits for the result, in milliseconds since 1970; default: none.
	 * @throws whatever `work` throws; {TimeoutError} when its turn comes after the deadline: the work is not begun then.
	 */
	async run<T>(key: string, work: () => Promise<T>, deadline?: number): Promise<T> {
		const begin = () => {
			refuseAbandoned(deadline);
			return work();
		};
		const before = this.#last.get(key);
		const mine = before === undefined ? begin() : before.then(begin, begin);
		this.#last.set(key, mine);
		try {
			return await mine;
		} finally {
			if (this.#last.get(key) === mine) this.#last.delete(key);
		}
	}

	/** Runs work that does everything there is to do; callers share a run that has not begun. */
	share(key: string, work: () => Promise<void>): Promise<void> {
		const waiting = this.#shared.get(key);
		if (waiting) return waiting;
		const isFree = !this.#last.has(key);
		const mine = this.run(key, () => {
			this.#shared.delete(key);
			return work();
		});
		if (!isFree) this.#shared.set(key, mine);
		return mine;
	}
}

/** Refuses work whose caller has gone, so that those who still wait have their turns sooner. @throws {TimeoutError} */
export function refuseAbandoned(deadline: number | undefined): void {
	if (isLate(deadline)) throw new TimeoutError("The turn of this request came too late");
}
