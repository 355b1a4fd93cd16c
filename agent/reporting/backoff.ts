/**
 * The wait before the next attempt: it doubles each time within bounds, with a random part so that pods do not retry
 * together.
 */
import { sleep } from "#shared/clock.ts";

const firstMs = 250;
const maxMs = 30_000;

/** Counts the attempts. */
export class Backoff {
	#nextMs = firstMs;

	/** @param signal It ends the wait. */
	async wait(signal: AbortSignal): Promise<void> {
		const ms = this.#nextMs * (0.5 + Math.random() / 2);
		this.#nextMs = Math.min(this.#nextMs * 2, maxMs);
		await sleep(ms, signal);
	}

	/** Is called when an attempt has succeeded. */
	reset(): void {
		this.#nextMs = firstMs;
	}
}
