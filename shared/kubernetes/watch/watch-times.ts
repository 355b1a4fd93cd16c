/** The times of a watch loop, and its clock; tests run it on a clock of their own. */
import { after, monotonic, sleep, type Timer } from "#shared/base/clock.ts";

/** All times are in milliseconds. */
export interface WatchTimes {
	/** A watch that is silent for longer may be dead. The server sends a bookmark each minute, as long as it lives. */
	readonly silenceMs: number;
	/** The server ends a watch after this time, give or take a quarter, so that watches move to other servers. */
	readonly watchMs: number;
	/** A list is compared with what the watch has told after this time, give or take a fifth. */
	readonly compareMs: number;
	/** The shortest and the longest wait after a failure. */
	readonly firstWaitMs: number;
	readonly longestWaitMs: number;
	/** A watch that has lived so long is no failure, however it ends. */
	readonly steadyMs: number;
	/** A watch that the server ends in order before this time is a failure, since another one would end at once too. */
	readonly shortestMs: number;
}

export const usualTimes: WatchTimes = {
	silenceMs: 90_000,
	watchMs: 240_000,
	compareMs: 600_000,
	firstWaitMs: 500,
	longestWaitMs: 30_000,
	steadyMs: 60_000,
	shortestMs: 1_000,
};

/** The clock of a loop. */
export interface WatchClock {
	monotonic(): number;
	after(ms: number, run: () => void): Timer;
	/** Resolves after the time, or when the signal aborts. */
	sleep(ms: number, signal: AbortSignal): Promise<void>;
	/** Returns a number from 0 to 1, as `Math.random` does. */
	random(): number;
}

export const systemClock: WatchClock = { monotonic, after, sleep, random: () => Math.random() };

/** Returns a random time between `(1 - share)` and `(1 + share)` of the usual one. */
export function spread(ms: number, share: number, random: () => number): number {
	return ms * (1 + share * (2 * random() - 1));
}

/**
 * Returns the wait after a number of failures in a row: a random time from the shortest one up to one that doubles with each failure, so
 * that many loops do not return together, and none asks twice a second.
 */
export function waitAfter(failures: number, times: WatchTimes, random: () => number): number {
	const { firstWaitMs, longestWaitMs } = times;
	const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures, 16));
	return firstWaitMs + random() * (longest - firstWaitMs);
}
