/** Measures a process: its processor time, its memory, and the lag of its event loop. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { every, monotonic, now, type Timer, uptime } from "#shared/base/clock.ts";
import type { Metrics } from "./metrics.ts";

/** The interval at which the lag is measured, in milliseconds. */
const lookMs = 500;
/** The histogram's own timer, in milliseconds; a shorter one costs processor time. */
const resolutionMs = 50;

/** The longest lag is shown for this time and for the same time again, whoever reads the metrics, in milliseconds. */
const usualWindowMs = 15_000;

/** The watch over one process's event loop; whoever starts it stops it. */
export class ProcessMetrics {
	readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
	readonly #timer: Timer;
	readonly #windowMs: number;
	#lookedAt = monotonic();
	#lagMs = 0;
	/** The longest delay of the window before this one, in nanoseconds. */
	#former = 0;
	#windowSince = monotonic();

	constructor(metrics: Metrics, windowMs = usualWindowMs) {
		this.#windowMs = windowMs;
		this.#delay.enable();
		this.#timer = every(lookMs, () => this.#look());
		const startedAt = now() / 1_000 - uptime();
		metrics.sample("atelier_event_loop_lag_seconds", () => this.#longest());
		metrics.sample("atelier_process_cpu_seconds_total", () => {
			const { user, system } = process.cpuUsage();
			return (user + system) / 1e6;
		});
		metrics.sample("atelier_process_resident_bytes", () => process.memoryUsage.rss());
		metrics.sample("atelier_process_heap_bytes", () => process.memoryUsage().heapUsed);
		metrics.sample("atelier_process_start_time_seconds", () => startedAt);
	}

	/** The lag at the last look, which is at most half a second ago, in milliseconds. */
	get lagMs(): number {
		return this.#lagMs;
	}

	stop(): void {
		this.#timer.cancel();
		this.#delay.disable();
	}

	#look(): void {
		const at = monotonic();
		this.#lagMs = Math.max(0, at - this.#lookedAt - lookMs);
		this.#lookedAt = at;
		if (at - this.#windowSince < this.#windowMs) return;
		this.#windowSince = at;
		// The histogram forgets a delay that has just ended and that it has not counted yet.
		this.#former = Math.max(this.#delay.max, this.#lagMs * 1e6);
		this.#delay.reset();
	}

	/** The histogram counts whole intervals, so one of its own is no lag. */
	#longest(): number {
		return Math.max(0, Math.max(this.#delay.max, this.#former) / 1e9 - resolutionMs / 1_000);
	}
}
