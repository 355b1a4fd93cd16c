/**
 * The clock and the timers of the product. No other module reads the time or sets a timer, so that tests and fault runs
 * can replace the clock. All durations are in milliseconds.
 */
import { setImmediate as immediate, setTimeout as delay } from "node:timers/promises";

/** The source of time; tests install their own one with {@link turnClock}. */
export interface Clock {
	/** The wall clock in milliseconds since 1970, as the store records times. */
	now(): number;
	/** Milliseconds that never go backwards, for durations and deadlines inside one process. */
	monotonic(): number;
}

/** `ATELIER_CLOCK_OFFSET_MS` shifts the wall clock of a whole process; fault runs use it. */
const offsetMs = Number(process.env["ATELIER_CLOCK_OFFSET_MS"] ?? 0) || 0;

/** When the wall clock was trusted last, by itself and by the monotonic clock; undefined: it is always trusted. */
let trusted: { readonly wall: number; readonly monotonic: number } | undefined;

const systemClock: Clock = { now: steadyTime, monotonic: () => performance.now() };

let clock: Clock = systemClock;

/** Returns the time of the machine's wall clock, which somebody may have set wrongly a moment ago. */
export function machineTime(): number {
	return clock === systemClock ? Date.now() + offsetMs : clock.now();
}

/**
 * Sets the time of this process to the machine's. From then on it goes on by the monotonic clock, whatever becomes of the
 * wall clock, until this is called again. A process that never calls it has the machine's time.
 */
export function trustMachineTime(): void {
	if (clock === systemClock) trusted = { wall: machineTime(), monotonic: performance.now() };
}

function steadyTime(): number {
	if (!trusted) return machineTime();
	return Math.round(trusted.wall + performance.now() - trusted.monotonic);
}

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

/** The clocks of two machines may differ by this much before a request counts as late, in milliseconds. */
const skewMs = 2_000;

/** Whether nobody waits for the answer to a request any more. @param end Its deadline in milliseconds since 1970. */
export function isLate(end: number | undefined): boolean {
	return end !== undefined && now() > end + skewMs;
}

/** The value of `process.hrtime`, for code of the framework that compares with it. */
export function hrtime(): [number, number] {
	return process.hrtime();
}

/** Seconds since this process started; the framework dates the last heartbeat of a node with this value. */
export function uptime(): number {
	return process.uptime();
}

/** ISO 8601 in UTC, e.g. `2026-11-20T20:34:19.123Z`. */
export function isoTime(milliseconds = now()): string {
	return new Date(milliseconds).toISOString();
}

/** A scheduled call. `cancel` may be called at any time and more than once. */
export interface Timer {
	cancel(): void;
}

/** Calls `run` once after `ms`. The timer does not keep the process alive unless `keepAlive` is set. */
export function after(ms: number, run: () => void, { keepAlive = false } = {}): Timer {
	const timer = setTimeout(run, ms);
	if (!keepAlive) timer.unref();
	return { cancel: () => clearTimeout(timer) };
}

/** Calls `run` every `ms` until the timer is cancelled. The timer does not keep the process alive. */
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

/** Resolves in the next turn of the event loop, after all callbacks that were ready and all input that had arrived. */
export async function nextTurn(): Promise<void> {
	await immediate();
}

/** Returns a signal that aborts after `ms`, or earlier when `parent` aborts. */
export function deadline(ms: number, parent?: AbortSignal): AbortSignal {
	const timeout = AbortSignal.timeout(ms);
	return parent ? AbortSignal.any([timeout, parent]) : timeout;
}
