/** Detects that the platform could not be reached for too long. */
import { monotonic } from "#shared/base/clock.ts";

/** Counts from the first failed report in a row. */
export class Lifeline {
	readonly #limitMs: number;
	readonly #onLost: () => void;
	#missedSince: number | undefined;

	/** @param onLost It is called at the first failure at least `limitMs` after the first one in a row. */
	constructor(limitMs: number, onLost: () => void) {
		this.#limitMs = limitMs;
		this.#onLost = onLost;
	}

	answered(): void {
		this.#missedSince = undefined;
	}

	/** The platform has not answered. Time without a report does not count: this process may have been suspended. */
	missed(): void {
		this.#missedSince ??= monotonic();
		if (monotonic() - this.#missedSince >= this.#limitMs) this.#onLost();
	}
}
