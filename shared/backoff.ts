/** How long to wait before the next attempt: longer after each failure, within bounds. */
import { sleep } from "./clock.ts";

export interface BackoffRule {
	/** The longest wait after the first failure, in milliseconds. */
	readonly firstMs: number;
	/** The longest wait of all, in milliseconds. */
	readonly maxMs: number;
	/** Each wait is so many times as long as the one before. Default 2. */
	readonly factor?: number;
	/** The share of each wait that chance decides, from 0 to 1, so that many failures do not return as one. Default 0.5. */
	readonly jitter?: number;
}

/**
 * The wait after so many failures, in milliseconds.
 * @param failures At least 1; a smaller number counts as 1.
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

	/** Waits after a failure. @param signal Ends the waiting. */
	async wait(signal: AbortSignal): Promise<void> {
		await sleep(backoffMs(++this.#failures, this.#rule), signal);
	}

	/** The attempt has succeeded. */
	reset(): void {
		this.#failures = 0;
	}
}
