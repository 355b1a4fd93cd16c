/** Measures launches: how long their phases take, and why sessions fail. */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { failureCodes } from "#shared/contracts/sessions/status-reasons.ts";
import type { HistogramCell, Metrics } from "#shared/telemetry/metrics/metrics.ts";

/** The phases of a launch, by the times at which they begin and end. */
const phases = [
	["claim", "requested", "claimed"],
	["spawn", "claimed", "spawned"],
	["clone", "spawned", "cloned"],
	["set_up", "cloned", "set_up"],
	["agent", "set_up", "ready"],
	["total", "requested", "ready"],
] as const;

export class LaunchMetrics {
	readonly #phases: ReadonlyMap<string, HistogramCell>;
	readonly #count: (code: string) => void;

	constructor(metrics: Metrics) {
		const seconds = metrics.histogram("atelier_launch_seconds");
		const failures = metrics.counter("atelier_session_failures_total");
		this.#phases = new Map(phases.map(([name]) => [name, seconds.at(name)]));
		for (const code of [...failureCodes, "other"]) failures.at(code);
		this.#count = (code) => failures.at(code).add();
	}

	/** Looks at a session after a change. @param before Its status before it. */
	changed(before: string, { status, status_reason, timings }: Session): void {
		if (status === before) return;
		if (status === "running") this.#observe(timings);
		if (status !== "failed") return;
		const code = status_reason?.code ?? "";
		this.#count(failureCodes.has(code) ? code : "other");
	}

	#observe(timings: Session["timings"]): void {
		for (const [name, from, to] of phases) {
			const seconds = (Date.parse(timings[to] ?? "") - Date.parse(timings[from] ?? "")) / 1_000;
			// A pod may report any time, and older ones none.
			if (Number.isFinite(seconds) && seconds >= 0) this.#phases.get(name)?.observe(seconds);
		}
	}
}
