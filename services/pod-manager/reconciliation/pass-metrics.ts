/** Measures the passes of the reconciler, and counts the pods that it looks after. */
import type { CounterCell, HistogramCell, Metrics, Sample } from "#shared/telemetry/metrics/metrics.ts";
import type { Pod } from "../pod-runtime.ts";

export class PassMetrics {
	readonly #seconds: HistogramCell;
	readonly #done: CounterCell;
	readonly #failed: CounterCell;

	/** @param silentMs Returns the milliseconds since the reconciler last learned what is due; infinite before that. */
	constructor(metrics: Metrics, silentMs: () => number) {
		const passes = metrics.counter("atelier_passes_total");
		this.#done = passes.at("done");
		this.#failed = passes.at("failed");
		this.#seconds = metrics.histogram("atelier_pass_seconds").at();
		metrics.sample("atelier_reconciler_silent_seconds", () => silentMs() / 1_000);
	}

	ended(isDone: boolean, ms: number): void {
		this.#seconds.observe(ms / 1_000);
		(isDone ? this.#done : this.#failed).add();
	}
}

export function podSamples(pods: readonly Pod[]): Sample[] {
	const states = ["launching", "ready", "failed", "leaving", "gone"] as const;
	return states.map((state) => ({ labels: [state], value: pods.filter((pod) => pod.state === state).length }));
}
