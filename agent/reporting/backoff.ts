/** How long to wait before the next try: each time twice as long, within bounds, and never for all pods at once. */
import { sleep } from "#shared/clock.ts";

const firstMs = 250;
const maxMs = 30_000;

export class Backoff {
	#nextMs = firstMs;

	/** @param signal Ends the waiting. */
	async wait(signal: AbortSignal): Promise<void> {
		const ms = this.#nextMs * (0.5 + Math.random() / 2);
		this.#nextMs = Math.min(this.#nextMs * 2, maxMs);
		await sleep(ms, signal);
	}

	/** The try has succeeded. */
	reset(): void {
		this.#nextMs = firstMs;
	}
}
