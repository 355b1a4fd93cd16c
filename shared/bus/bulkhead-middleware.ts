/**
 * How many calls of one action are under way at once, and whose: a call may wait for what its caller alone has made slow
 * (a pod that does not answer), so nobody has all the places, and everybody has some whatever others do. In the place of
 * the framework's own, which serves whoever came first.
 */
import type { ActionHandler, Context, Middleware, Service } from "moleculer";
import { FairTurns, type TurnLimits } from "../fair-turns.ts";
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

export const bulkheadMiddleware: Middleware = {
	name: "FairBulkhead",
	localAction(next: ActionHandler): ActionHandler {
		const turns = new FairTurns(limits);
		return function inTurn(this: Service, ctx: Context<unknown, { principal?: unknown }>) {
			const principal = VouchedPrincipal.read(ctx.meta.principal);
			return turns.run(principal, () => next.call(this, ctx));
		};
	},
};
