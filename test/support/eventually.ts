/** Waits for a condition with a deadline, so that no test sleeps for a fixed time. */
import { setTimeout as sleep } from "node:timers/promises";
import { patience } from "./machine/patience.ts";

/** A machine with several times more to do than it has processors gives a test no more time than this times its bound. */
const longest = 4;

export interface EventuallyOptions {
	/** On a machine that has as much to do as it has processors; the bound grows with its load. Default 10,000. */
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
