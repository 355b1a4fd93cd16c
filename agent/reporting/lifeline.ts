/** Tells when the platform has been away for too long. */
import { monotonic } from "#shared/clock.ts";

export class Lifeline {
	readonly #limitMs: number;
	readonly #onLost: () => void;
	#missedSince: number | undefined;

	/** @param onLost Called at the first failure that comes `limitMs` after the first one in a row. */
	constructor(limitMs: number, onLost: () => void) {
		this.#limitMs = limitMs;
		this.#onLost = onLost;
	}

	/** The platform has answered. */
	answered(): void {
		this.#missedSince = undefined;
	}

	/** It has not. Time in which nobody asked it does not count: this process may have been stopped. */
	missed(): void {
		this.#missedSince ??= monotonic();
		if (monotonic() - this.#missedSince >= this.#limitMs) this.#onLost();
	}
}
