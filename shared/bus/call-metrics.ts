/** Measures the calls that this process serves: their time, with the wait for a turn, and how they end. */
import type { ActionHandler, Context, Middleware, Service } from "moleculer";
import { monotonic } from "#shared/base/clock.ts";
import { ServiceError } from "#shared/base/errors.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";

export function callMetrics(metrics: Metrics): Middleware {
	const failures = metrics.counter("atelier_bus_failures_total");
	return {
		name: "CallMetrics",
		localAction(next: ActionHandler, { name = "" }: { name?: string }): ActionHandler {
			const seconds = metrics.histogram("atelier_bus_call_seconds").at(name);
			const failed = failures.at(name, "failed");
			return function measured(this: Service, ctx: Context): Promise<unknown> {
				const since = monotonic();
				const answer: Promise<unknown> = next.call(this, ctx);
				answer.then(
					() => seconds.observe((monotonic() - since) / 1_000),
					(error: unknown) => {
						seconds.observe((monotonic() - since) / 1_000);
						const outcome = outcomeOf(error);
						(outcome === "failed" ? failed : failures.at(name, outcome)).add();
					},
				);
				return answer;
			};
		},
	};
}

function outcomeOf(error: unknown): "refused" | "busy" | "failed" {
	if (!(error instanceof ServiceError) || error.code >= 500) return "failed";
	return error.type === "BUSY" ? "busy" : "refused";
}
