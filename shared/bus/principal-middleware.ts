/**
 * Gives every handler the principal that code of this process vouched for; any other value in a call's metadata is
 * ignored.
 */
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
