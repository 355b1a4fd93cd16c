/**
 * Limits how many calls of one action run at once, in total and per caller. A call may wait for something that its
 * caller alone has made slow (a pod that does not answer), so no caller may have all places and every caller has some.
 * This replaces the framework's own bulkhead, which serves callers in the order of their calls.
 */
import type { ActionHandler, Context, Middleware, Service } from "moleculer";
import { bound } from "#shared/base/bounds.ts";
import { FairQueue, type QueueBounds } from "#shared/base/concurrency/fair-queue.ts";
import { principalKey } from "#shared/base/principal.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { VouchedPrincipal } from "./vouched-principal.ts";

const limits: QueueBounds = {
	atOnce: bound.calls,
	share: bound.callsOfOne,
	own: bound.ownCalls,
	most: bound.callsWithOwn,
	waiting: bound.waitingCalls,
	waitingOfOne: bound.waitingCallsOfOne,
};

export function bulkheadMiddleware(metrics: Metrics): Middleware {
	const all = new Map<string, FairQueue>();
	metrics.sample("atelier_bus_calls_waiting", () =>
		[...all]
			.filter(([, { waiting }]) => waiting > 0)
			.map(([name, { waiting }]) => ({ labels: [name], value: waiting })),
	);
	return {
		name: "FairBulkhead",
		localAction(next: ActionHandler, { name = "" }: { name?: string }): ActionHandler {
			const turns = new FairQueue(limits);
			all.set(name, turns);
			return function inTurn(this: Service, ctx: Context<unknown, { principal?: unknown }>) {
				const principal = VouchedPrincipal.read(ctx.meta.principal);
				return turns.run(principal ? principalKey(principal) : "", () => next.call(this, ctx));
			};
		},
	};
}
