/**
 * Limits how many calls of one action run at once, in total and per caller. A call may wait for something that its
 * caller alone has made slow (a pod that does not answer), so no caller may have all places and every caller has some.
 * This replaces the framework's own bulkhead, which serves callers in the order of their calls.
 */
import type { ActionHandler, Context, Middleware, Service } from "moleculer";
import { FairTurns, type TurnLimits } from "#shared/base/concurrency/fair-turns.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { VouchedPrincipal } from "./vouched-principal.ts";

const limits: TurnLimits = {
	atOnce: 256,
	share: 128,
	own: 8,
	most: 1_024,
	waiting: 4_096,
	waitingOfOne: 1_024,
	refusal: "Too many requests of this kind are under way, try again",
};

export function bulkheadMiddleware(metrics: Metrics): Middleware {
	const all = new Map<string, FairTurns>();
	metrics.sample("atelier_bus_calls_waiting", () =>
		[...all]
			.filter(([, { waiting }]) => waiting > 0)
			.map(([name, { waiting }]) => ({ labels: [name], value: waiting })),
	);
	return {
		name: "FairBulkhead",
		localAction(next: ActionHandler, { name = "" }: { name?: string }): ActionHandler {
			const turns = new FairTurns(limits);
			all.set(name, turns);
			return function inTurn(this: Service, ctx: Context<unknown, { principal?: unknown }>) {
				const principal = VouchedPrincipal.read(ctx.meta.principal);
				return turns.run(principal, () => next.call(this, ctx));
			};
		},
	};
}
