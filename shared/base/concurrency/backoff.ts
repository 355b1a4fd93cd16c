/** Computes the wait before the next attempt: it grows after each failure, within bounds. */
import { sleep } from "../clock.ts";

export interface BackoffRule {
	/** The longest wait after the first failure, in milliseconds. */
	readonly firstMs: number;
	/** The longest wait of all, in milliseconds. */
	readonly maxMs: number;
	/** The factor between successive waits. Default 2. */
	readonly factor?: number;
	/**
	 * The random share of each wait, from 0 to 1, so that many failed callers do not return at the same time. Default
	 * 0.5.
	 */
	readonly jitter?: number;
}

/**
 * Returns the wait after a number of failures, in milliseconds.
 * @param failures The number of failures, at least 1; a smaller number counts as 1.
 * @example
 * ```ts
 * await sleep(backoffMs(failures, { firstMs: 1_000, maxMs: 30_000 })); // 0.5 to 1 s, then 1 to 2 s, … 15 to 30 s
 * ```
 */
export function backoffMs(failures: number, { firstMs, maxMs, factor = 2, jitter = 0.5 }: BackoffRule): number {
	const longest = Math.min(firstMs * factor ** Math.max(0, failures - 1), maxMs);
	return longest * (1 - jitter * Math.random());
}

/** The first wait is 250 ms at most, and each is twice as long as the one before, up to 30 s. */
const defaultRule: BackoffRule = { firstMs: 250, maxMs: 30_000 };

/**
 * Counts the failures of a loop.
 * @example
 * ```ts
 * for (const backoff = new Backoff(); !signal.aborted; await backoff.wait(signal)) if (await deliver()) return;
 * ```
 */
export class Backoff {
	readonly #rule: BackoffRule;
	#failures = 0;

	/** @param rule Default: 250 ms, doubled up to 30 s. */
	constructor(rule: BackoffRule = defaultRule) {
		this.#rule = rule;
	}

	/** Waits after a failure. @param signal Ends the wait early. */
	async wait(signal: AbortSignal): Promise<void> {
		await sleep(backoffMs(++this.#failures, this.#rule), signal);
	}

	/** Resets the count of failures, because an attempt has succeeded. */
	reset(): void {
		this.#failures = 0;
	}
}
