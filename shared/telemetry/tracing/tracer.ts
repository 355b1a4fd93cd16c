/** Begins traces, or continues those of callers, and decides which of them are shown. */
import { randomBytes, randomInt } from "node:crypto";
import { monotonic } from "#shared/base/clock.ts";
import { Span, type SpanReceiver } from "./span.ts";
import { readTraceParent, type TraceParent } from "./trace-parent.ts";

/** Traces that clients want to be shown in one second; more are shown only as often as others. */
const maxWished = 10;
const secondMs = 1_000;
/** The precision of the share of sampled traces. */
const steps = 1_000_000;

export class Tracer {
	readonly #share: number;
	readonly #receive: SpanReceiver;
	#wished = 0;
	#wishedSince = -Infinity;

	/** @param share The share of traces that are shown though nothing fails, from 0 to 1. */
	constructor(share: number, receive: SpanReceiver) {
		this.#share = share;
		this.#receive = receive;
	}

	/** Begins the first step of a request from outside. @param header The client's `traceparent`. */
	accept(header: unknown): Span {
		const given = readTraceParent(header);
		const isSampled = (given?.isSampled === true && this.#grants()) || randomInt(steps) < this.#share * steps;
		const traceId = given?.traceId ?? randomBytes(16).toString("hex");
		return new Span({ traceId, isSampled, parentId: given?.spanId }, this.#receive);
	}

	/** Continues the trace of another process of the platform. */
	follow({ traceId, isSampled, spanId: parentId }: TraceParent): Span {
		return new Span({ traceId, isSampled, parentId }, this.#receive);
	}

	/** Whether a client's wish is granted: the load that clients cause has a bound. */
	#grants(): boolean {
		if (monotonic() - this.#wishedSince > secondMs) {
			this.#wishedSince = monotonic();
			this.#wished = 0;
		}
		return ++this.#wished <= maxWished;
	}
}
