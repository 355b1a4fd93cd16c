/** Turns the token of every call into the principal its handler receives; a forged or expired one leaves none. */
import type { ActionHandler, Context, Middleware, Service } from "moleculer";
import type { InternalTokens } from "./internal-token.ts";

export function principalMiddleware(tokens: InternalTokens): Middleware {
	return {
		name: "Principal",
		localAction(next: ActionHandler): ActionHandler {
			return function withPrincipal(this: Service, ctx: Context<unknown, { token?: string }>) {
				const principal = ctx.meta.token === undefined ? undefined : tokens.verify(ctx.meta.token);
				ctx.locals = principal ? { principal } : {};
				return next.call(this, ctx);
			};
		},
	};
}
