/**
 * The holds that no turn and no call of this pod needs any more. The platform counts each of them until it is
 * returned, so an earlier request for a new hold might be refused although there is enough room.
 */
import { aborted } from "../../base/concurrency/aborted.ts";

export class ReturningHolds {
	readonly #returns = new Set<Promise<void>>();

	get size(): number {
		return this.#returns.size;
	}

	/** @param returned Settles when the platform has accepted the returned hold, or the attempts have ended. */
	add(returned: Promise<void>): void {
		const over = (): void => void this.#returns.delete(returned);
		this.#returns.add(returned);
		returned.then(over, over);
	}

	/** Resolves when every hold that is known now was returned, or when the signal aborts. */
	async returned(signal: AbortSignal): Promise<void> {
		await Promise.race([Promise.allSettled(this.#returns), aborted(signal)]);
	}
}
