/**
 * Time. Nothing else in the product reads the clock or sets a timer, so that tests and fault runs can turn it.
 * Everything is in milliseconds.
 */
import { setImmediate as immediate, setTimeout as delay } from "node:timers/promises";

export interface Clock {
	/** Milliseconds since 1970, as the store records them. */
	now(): number;
	/** Milliseconds that only ever grow; for durations and deadlines inside one process. */
	monotonic(): number;
}

/** `ATELIER_CLOCK_OFFSET_MS` moves the wall clock of a whole process, for fault runs. */
const offsetMs = Number(process.env["ATELIER_CLOCK_OFFSET_MS"] ?? 0) || 0;

const systemClock: Clock = { now: () => Date.now() + offsetMs, monotonic: () => performance.now() };

let clock: Clock = systemClock;

/** Replaces the clock; returns a function that puts the former one back. */
export function turnClock(replacement: Clock): () => void {
	const former = clock;
	clock = replacement;
	return () => {
		clock = former;
	};
}

export function now(): number {
	return clock.now();
}

export function monotonic(): number {
	return clock.monotonic();
}

/** As `process.hrtime` gives it, for those who compare with that. */
export function hrtime(): [number, number] {
	return process.hrtime();
}

/** Seconds this process has run, in which the framework says when it last heard of a node. */
export function uptime(): number {
	return process.uptime();
}

/** ISO 8601 in UTC, e.g. `2026-11-20T20:34:19.123Z`. */
export function isoTime(milliseconds = now()): string {
	return new Date(milliseconds).toISOString();
}

/** Something that runs later; `cancel` is safe at any time. */
export interface Timer {
	cancel(): void;
}

/** Runs once. The timer does not keep the process alive unless `keepAlive` is set. */
export function after(ms: number, run: () => void, { keepAlive = false } = {}): Timer {
	const timer = setTimeout(run, ms);
	if (!keepAlive) timer.unref();
	return { cancel: () => clearTimeout(timer) };
}

/** Runs every `ms` until cancelled, without keeping the process alive. */
export function every(ms: number, run: () => void): Timer {
	const timer = setInterval(run, ms);
	timer.unref();
	return { cancel: () => clearInterval(timer) };
}

/** Resolves after `ms`, or at once when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
		if (!signal?.aborted) throw error;
	});
}

/** Resolves when everything else that waits for this process has had its turn, and what has come for it was read. */
export async function nextTurn(): Promise<void> {
	await immediate();
}

/** A signal that aborts after `ms`, or earlier with `parent`. */
export function deadline(ms: number, parent?: AbortSignal): AbortSignal {
	const timeout = AbortSignal.timeout(ms);
	return parent ? AbortSignal.any([timeout, parent]) : timeout;
}
