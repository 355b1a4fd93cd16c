import { expect } from "chai";
import { NotFoundError, UnavailableError } from "#shared/base/errors.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { OtlpExporter } from "#shared/telemetry/tracing/otlp-exporter.ts";
import { activeSpan, type EndedSpan, inSpan, traced, traceHeaders } from "#shared/telemetry/tracing/span.ts";
import { readTraceParent, traceParentText } from "#shared/telemetry/tracing/trace-parent.ts";
import { Tracer } from "#shared/telemetry/tracing/tracer.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const given = `00-${traceId}-00f067aa0ba902b7-01`;
const step = { name: "step", kind: "client", attributes: {} } as const;

describe("readTraceParent()", () => {
	it("reads what it writes", () => {
		const parent = readTraceParent(given);
		expect(parent).to.deep.equal({ traceId, spanId: "00f067aa0ba902b7", isSampled: true });
		expect(parent && traceParentText(parent)).to.equal(given);
	});

	for (const text of [
		"",
		"00",
		given.toUpperCase(),
		`${given}-more`,
		given.replace("00-", "ff-"),
		`00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
		`00-${traceId}-${"0".repeat(16)}-01`,
		[given],
		undefined,
	]) {
		it(`refuses ${JSON.stringify(text)}`, () => expect(readTraceParent(text)).to.equal(undefined));
	}
});

describe("Tracer", () => {
	let ended: EndedSpan[];
	beforeEach(() => (ended = []));
	const tracer = (share: number) => new Tracer(share, (span) => ended.push(span));

	it("continues the trace of a client that wants it to be shown", () => {
		tracer(0).accept(given).end(step);
		expect(ended).to.have.length(1);
		expect(ended[0]).to.include({ traceId, parentId: "00f067aa0ba902b7" });
	});

	it("grants ten wishes of clients in a second", () => {
		const one = tracer(0);
		for (let i = 0; i < 50; i++) one.accept(given).end(step);
		expect(ended).to.have.length(10);
	});

	it("shows the configured share of the others: none, or all", () => {
		tracer(0).accept(undefined).end(step);
		expect(ended).to.deep.equal([]);
		tracer(1).accept("nonsense").end(step);
		expect(ended).to.have.length(1);
		expect(ended[0]?.traceId).to.match(/^[0-9a-f]{32}$/);
	});

	it("shows steps that fail always, without their sentences; a refusal is no failure", async () => {
		const span = tracer(0).accept(undefined);
		await inSpan(span, async () => {
			const secret = "The password is hunter2";
			await traced(step, Promise.reject(new UnavailableError(secret, "STORE_UNREACHABLE"))).catch(() => {});
			await traced(step, Promise.reject(new NotFoundError(secret, "NO"))).catch(() => {});
			await traced(step, Promise.resolve());
		});
		expect(ended.map(({ failure, parentId }) => [failure, parentId])).to.deep.equal([
			["STORE_UNREACHABLE", span.spanId],
		]);
		expect(JSON.stringify(ended)).to.not.include("hunter2");
	});

	it("tells other programs the present step, and nothing outside one", async () => {
		const span = tracer(1).accept(given);
		expect(inSpan(span, traceHeaders)).to.deep.equal({ traceparent: `00-${traceId}-${span.spanId}-01` });
		expect(traceHeaders()).to.deep.equal({});
		expect(activeSpan()).to.equal(undefined);
	});
});

describe("OtlpExporter", () => {
	const span: EndedSpan = { ...step, traceId, spanId: "a".repeat(16), parentId: undefined, since: 1, until: 2 };

	function exporter(metrics: Metrics, send: ConstructorParameters<typeof OtlpExporter>[0]["send"]): OtlpExporter {
		const options = { url: "http://127.0.0.1:1", headers: {}, service: "s", instance: "i", metrics, onError: () => {} };
		return new OtlpExporter({ ...options, send });
	}

	it("keeps 4,096 steps at most, and counts the others", async () => {
		const metrics = new Metrics();
		let sent = 0;
		const one = exporter(metrics, async ({ url, body }) => {
			sent += String(body).split('"spanId"').length - 1;
			return { status: 200, headers: {}, body: Buffer.alloc(0), url };
		});
		for (let i = 0; i < 5_000; i++) one.take(span);
		await one.stop();
		expect(sent).to.equal(4_096);
		expect(await exposition(metrics)).to.include("atelier_trace_spans_dropped_total 904\n");
	});

	it("drops and counts what the collector does not take", async () => {
		const metrics = new Metrics();
		const one = exporter(metrics, async ({ url }) => ({ status: 503, headers: {}, body: Buffer.alloc(0), url }));
		one.take(span);
		await one.stop();
		expect(await exposition(metrics)).to.include("atelier_trace_spans_dropped_total 1\n");
	});
});
