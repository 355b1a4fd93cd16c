/** One trace through the gateway, the sessions process, the store and a pod, over a real NATS server. */
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { startNatsServer } from "../../support/bus/nats-server.ts";
import { runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";
import { OtlpSink, type ReceivedSpan } from "../../support/tracing/otlp-sink.ts";

const processes = [["gateway", "stream"], storingServices, ["credentials", "pod-manager", "models"]];
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const canary = "canary-7f3a9";

describe("traces", function () {
	this.timeout(120_000);

	it("cross HTTP, bus, store and pod with the right parents, and hold no secret and no query", async () => {
		await using sink = await OtlpSink.open();
		await using nats = await startNatsServer();
		const env = { BUS__URL: nats.url, TRACING__OTLP_URL: sink.url, TRACING__SAMPLE: "0" };
		await using platform = await startPlatform({ processes, env });
		const client = platform.client();
		const { id } = await runningSession(client);
		expect(sink.spans.filter(({ status }) => status === undefined)).to.deep.equal([]);

		const parent = "00f067aa0ba902b7";
		const headers = { traceparent: `00-${traceId}-${parent}-01`, "x-request-id": "the-request" };
		expect((await client.get(`/sessions/${id}/logs?lines=5&secret=${canary}`, { headers })).status).to.be.below(500);
		const spans = () => sink.spans.filter((span) => span.traceId === traceId);
		await eventually(() => spans().some(({ name }) => name.startsWith("pod GET")), { withinMs: 15_000 });
		await eventually(() => spans().some(({ parentSpanId }) => parentSpanId === parent), { withinMs: 15_000 });

		expect(sink.mistakes).to.deep.equal([]);
		const found = (test: (span: ReceivedSpan) => boolean): ReceivedSpan => {
			const span = spans().find(test);
			if (!span) throw new Error(`There is no such span among ${JSON.stringify(spans(), undefined, 1)}`);
			return span;
		};
		const root = found(({ parentSpanId }) => parentSpanId === parent);
		expect([root.service, root.kind]).to.deep.equal(["atelier-stream-gateway", 2]);
		const served = found(({ parentSpanId, kind }) => parentSpanId === root.spanId && kind === 2);
		expect(served.service).to.match(/^atelier-event-log-sessions/);
		const read = found(({ name, service }) => name === "store get sessions" && service === served.service);
		expect(read.parentSpanId).to.equal(served.spanId);
		const asked = found(({ name }) => name.startsWith("pod GET"));
		expect(asked.parentSpanId).to.equal(served.spanId);
		const ids = new Set([parent, ...spans().map(({ spanId }) => spanId)]);
		expect(spans().filter(({ parentSpanId = "" }) => !ids.has(parentSpanId))).to.deep.equal([]);
		expect(sink.text)
			.to.not.include(canary)
			.and.to.not.match(/bearer/i);
		expect(JSON.stringify(root.attributes)).to.include("the-request");
	});
});
