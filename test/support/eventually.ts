/** Waits for a condition with a deadline, so that no test sleeps for a fixed time. */
import { setTimeout as sleep } from "node:timers/promises";
import { patience } from "./machine/patience.ts";

/** The greatest factor by which a bound grows on a machine with more work than processors. */
const longest = 4;

export interface EventuallyOptions {
	/** The bound in milliseconds on a machine without other work; it grows with the machine's load. Default 10,000. */
	withinMs?: number;
	/** The interval of the probe in milliseconds; default 20. */
	everyMs?: number;
	/** The condition in words, for the sentence of the failure. */
	what?: string;
}

/**
 * Returns the first value of `probe` that is neither false nor undefined nor null; a probe that throws is repeated.
 * @throws {Error} when the time is over, with the last failure of the probe as its cause.
 */
export async function eventually<T>(
	probe: () => T | Promise<T>,
	{ withinMs = 10_000, everyMs = 20, what = probe.toString() }: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined | null>> {
	const since = performance.now();
	for (;;) {
		const outcome = await attempt(probe);
		if ("value" in outcome && isThere(outcome.value)) return outcome.value;
		const waited = performance.now() - since;
		if (waited >= withinMs * Math.min(longest, patience())) {
			throw new Error(`Not within ${Math.round(waited)} ms: ${what}`, { cause: outcome.failure });
		}
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
