/**
 * The steps of a trace in this process. A trace that is not sampled has no steps but those that fail, which are shown
 * always. Without a tracer nothing here costs more than a look at a variable.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import { ServiceError } from "#shared/base/errors.ts";
import { type TraceParent, traceParentText } from "./trace-parent.ts";

/** The roles of OTLP (SpanKind) that the platform has. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;

/** The description of a step. Neither its name nor an attribute may hold a secret, or a URL with its query. */
export interface Step {
	readonly name: string;
	readonly kind: keyof typeof spanKinds;
	readonly attributes: Readonly<Record<string, string | number>>;
}

export interface EndedSpan extends Step {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentId: string | undefined;
	/** Both in milliseconds since 1970. */
	readonly since: number;
	readonly until: number;
	/** The sentence of the failure; absent when the step has succeeded. */
	readonly failure?: string | undefined;
}

/** The receiver of ended steps; it returns at once and never throws. */
export type SpanReceiver = (span: EndedSpan) => void;

const spans = new AsyncLocalStorage<Span>();
/** Whether this process has had a tracer. */
let isTracing = false;

/** A step under way. */
export class Span implements TraceParent {
	readonly traceId: string;
	readonly spanId: string;
	readonly isSampled: boolean;
	readonly #parentId: string | undefined;
	readonly #receive: SpanReceiver;
	readonly #since = now();
	#hasEnded = false;

	/** @param position The trace, whether it is sampled, and the id of the parent, if there is one. */
	constructor(
		position: Omit<TraceParent, "spanId"> & { readonly parentId: string | undefined },
		receive: SpanReceiver,
	) {
		isTracing = true;
		this.traceId = position.traceId;
		this.isSampled = position.isSampled;
		this.spanId = randomBytes(8).toString("hex");
		this.#parentId = position.parentId;
		this.#receive = receive;
	}

	child(): Span {
		const { traceId, isSampled, spanId: parentId } = this;
		return new Span({ traceId, isSampled, parentId }, this.#receive);
	}

	/** Ends the step. It is shown when its trace is sampled or it has failed. Only the first call counts. */
	end(step: Step, failure?: string): void {
		if (this.#hasEnded) return;
		this.#hasEnded = true;
		if (!this.isSampled && failure === undefined) return;
		const { traceId, spanId } = this;
		const times = { since: this.#since, until: Math.max(this.#since, now()) };
		this.#receive({ ...step, ...times, traceId, spanId, parentId: this.#parentId, failure });
	}
}

/** Returns the step that the present work belongs to. */
export function activeSpan(): Span | undefined {
	return isTracing ? spans.getStore() : undefined;
}

export function inSpan<T>(span: Span | undefined, work: () => T): T {
	return span ? spans.run(span, work) : work();
}

/** Returns the outcome, and shows it as a step of the present one if there is any. */
export function traced<T>(step: Step, outcome: Promise<T>): Promise<T> {
	const span = activeSpan()?.child();
	if (span) endWith(span, step, outcome);
	return outcome;
}

/** Ends a step when its outcome is known. A refusal, such as an unknown id, is no failure. */
export function endWith(span: Span, step: Step, outcome: Promise<unknown>): void {
	outcome.then(
		() => span.end(step),
		(error: unknown) => span.end(step, failureOf(error)),
	);
}

/** Returns the headers of a request to another program on behalf of the present step. */
export function traceHeaders(): { traceparent?: string } {
	const span = activeSpan();
	return span ? { traceparent: traceParentText(span) } : {};
}

/** Only the kind of an error is shown: its sentence may quote what people wrote. */
function failureOf(error: unknown): string | undefined {
	if (error instanceof ServiceError) return error.code >= 500 ? error.type : undefined;
	return error instanceof Error ? error.name : "error";
}
