/**
 * Carries traces over the bus. The position in the trace is in the metadata of a call; a process that does not know it
 * passes it on. A call that is served in another process is a step of its own, and so is each call of a sampled trace.
 */
import type { ActionHandler, CallingOptions, Context, Middleware, Service } from "moleculer";
import { activeSpan, endWith, inSpan, type Step } from "#shared/telemetry/tracing/span.ts";
import { readTraceParent, traceParentText } from "#shared/telemetry/tracing/trace-parent.ts";
import type { Tracer } from "#shared/telemetry/tracing/tracer.ts";

type Call = (action: string, params: unknown, options?: CallingOptions) => Promise<unknown>;

interface TraceMeta {
	traceparent?: unknown;
	request_id?: unknown;
}

export function traceMiddleware(tracer: Tracer): Middleware {
	const hooks = {
		name: "Trace",
		call: (next: Call) => (action: string, params: unknown, options?: CallingOptions) => {
			const span = activeSpan();
			if (!span) return next(action, params, options);
			return next(action, params, { ...options, meta: { ...options?.meta, traceparent: traceParentText(span) } });
		},
		localAction: (next: ActionHandler, { name = "" }: { name?: string }): ActionHandler =>
			function tracedAction(this: Service, ctx: Context<unknown, TraceMeta>): Promise<unknown> {
				const { traceparent, request_id } = ctx.meta;
				const parent = traceparent === undefined ? undefined : readTraceParent(traceparent);
				if (!parent) return next.call(this, ctx);
				const span = tracer.follow(parent);
				const id = typeof request_id === "string" ? { "atelier.request_id": request_id } : {};
				const step: Step = { name, kind: "server", attributes: { "rpc.system": "nats", "rpc.method": name, ...id } };
				const answer: Promise<unknown> = inSpan(span, () => next.call(this, ctx));
				endWith(span, step, answer);
				return answer;
			},
	};
	// The framework declares the type of the hook `call` as the type that it returns.
	return hooks as unknown as Middleware;
}
