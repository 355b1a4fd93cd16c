/** Waits for a condition with a deadline, so that no test sleeps for a fixed time. */
import { setTimeout as sleep } from "node:timers/promises";

export interface EventuallyOptions {
	/** Default 10,000: what takes a moment takes some seconds where others use the machine. */
	withinMs?: number;
	/** Default 20. */
	everyMs?: number;
	/** What is waited for, for the sentence of the failure. */
	what?: string;
}

/**
 * The first value of `probe` that is neither false nor undefined nor null; a probe that throws is tried again.
 * @throws {Error} when the time is over, with the last failure of the probe as its cause.
 */
export async function eventually<T>(
	probe: () => T | Promise<T>,
	{ withinMs = 10_000, everyMs = 20, what = probe.toString() }: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined | null>> {
	const end = performance.now() + withinMs;
	for (;;) {
		const outcome = await attempt(probe);
		if ("value" in outcome && isThere(outcome.value)) return outcome.value;
		if (performance.now() >= end) throw new Error(`Not within ${withinMs} ms: ${what}`, { cause: outcome.failure });
		await sleep(everyMs);
	}
}

async function attempt<T>(
	probe: () => T | Promise<T>,
): Promise<{ value: T; failure?: undefined } | { failure: unknown }> {
	try {
		return { value: await probe() };
	} catch (failure) {
		return { failure };
	}
}

function isThere<T>(value: T): value is Exclude<T, false | undefined | null> {
	return value !== false && value !== undefined && value !== null;
}
