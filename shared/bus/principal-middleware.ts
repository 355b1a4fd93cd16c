/** Gives every handler the principal that was vouched for; whatever else a call carries leaves none. */
import type { ActionHandler, Context, Middleware, Service } from "moleculer";
import { VouchedPrincipal } from "./vouched-principal.ts";

export const principalMiddleware: Middleware = {
	name: "Principal",
	localAction(next: ActionHandler): ActionHandler {
		return function withPrincipal(this: Service, ctx: Context<unknown, { principal?: unknown }>) {
			const principal = VouchedPrincipal.read(ctx.meta.principal);
			ctx.locals = principal ? { principal } : {};
			return next.call(this, ctx);
		};
	},
};
