/**
 * Sends steps of traces to a collector as OTLP over HTTP, in JSON. Nothing waits for it: what the collector does not
 * take in time is dropped and counted.
 */
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { CounterCell, Metrics } from "../metrics/metrics.ts";
import { type EndedSpan, spanKinds } from "./span.ts";

const everyMs = 1_000;
const timeoutMs = 5_000;
/** The steps of one request, and those that wait. */
const batch = 512;
const maxWaiting = 4_096;
/** The bound for the collector's answer in bytes. */
const maxBytes = 65_536;
const failedStatus = 2;

export interface CollectorRequest {
	readonly url: string;
	readonly method: "POST";
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** The URL is of the configuration, and may have a private address. */
	readonly isConfigured: true;
	readonly timeoutMs: number;
	readonly maxBytes: number;
}

export interface OtlpOptions {
	/** The URL of the collector, without `/v1/traces`. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** The value of `service.name`, and the id of this process in it. */
	readonly service: string;
	readonly instance: string;
	readonly send: (request: CollectorRequest) => Promise<{ readonly status: number }>;
	readonly metrics: Metrics;
	/** Receives the first failure in a row. */
	readonly onError: (error: unknown) => void;
}

/** The exporter of one process. Its creator starts and stops it. */
export class OtlpExporter {
	readonly #options: OtlpOptions;
	readonly #dropped: CounterCell;
	readonly #job: RecurringJob;
	#waiting: EndedSpan[] = [];
	#isFailing = false;

	constructor(options: OtlpOptions) {
		this.#options = options;
		this.#dropped = options.metrics.counter("atelier_trace_spans_dropped_total").at();
		this.#job = new RecurringJob({ everyMs, work: () => this.#sendAll(), onError: options.onError });
		this.#job.start();
	}

	take(span: EndedSpan): void {
		if (this.#waiting.length >= maxWaiting) this.#dropped.add();
		else this.#waiting.push(span);
	}

	/** Sends what waits, once. */
	async stop(): Promise<void> {
		await this.#job.stop();
		await this.#sendAll();
	}

	async #sendAll(): Promise<void> {
		while (this.#waiting.length > 0) {
			const spans = this.#waiting.splice(0, batch);
			try {
				await this.#send(spans);
				this.#isFailing = false;
			} catch (error) {
				this.#dropped.add(spans.length);
				if (!this.#isFailing) this.#options.onError(error);
				this.#isFailing = true;
				return;
			}
		}
	}

	async #send(spans: readonly EndedSpan[]): Promise<void> {
		const { url, headers, send } = this.#options;
		const { status } = await send({
			url: `${url}/v1/traces`,
			method: "POST",
			headers: { ...headers, "content-type": "application/json" },
			body: JSON.stringify(this.#request(spans)),
			isConfigured: true,
			timeoutMs,
			maxBytes,
		});
		if (status < 200 || status > 299) throw new Error(`The collector answered ${status}`);
	}

	/** Makes an ExportTraceServiceRequest (opentelemetry-proto 1, its JSON mapping: ids in hex, enums as numbers). */
	#request(spans: readonly EndedSpan[]) {
		const { service, instance } = this.#options;
		const resource = { attributes: attributesOf({ "service.name": service, "service.instance.id": instance }) };
		return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "atelier" }, spans: spans.map(spanOf) }] }] };
	}
}

function spanOf({ traceId, spanId, parentId, name, kind, since, until, attributes, failure }: EndedSpan) {
	return {
		traceId,
		spanId,
		...(parentId !== undefined && { parentSpanId: parentId }),
		name,
		kind: spanKinds[kind],
		startTimeUnixNano: nanos(since),
		endTimeUnixNano: nanos(until),
		attributes: attributesOf({ ...attributes, ...(failure !== undefined && { "error.type": failure }) }),
		...(failure !== undefined && { status: { code: failedStatus } }),
	};
}

/** 64-bit numbers are texts in this form. */
function nanos(ms: number): string {
	return `${Math.round(ms)}000000`;
}

function attributesOf(values: Readonly<Record<string, string | number>>) {
	return Object.entries(values).map(([key, value]) => ({
		key,
		value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
	}));
}
