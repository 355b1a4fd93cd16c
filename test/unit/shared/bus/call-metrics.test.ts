import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { callMetrics } from "#shared/bus/call-metrics.ts";
import { NotFoundError, TooManyRequestsError, UnavailableError } from "#shared/base/errors.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

const outcomes: Readonly<Record<string, () => unknown>> = {
	done: () => "well",
	unknown: () => Promise.reject(new NotFoundError("There is no such thing")),
	crowded: () => Promise.reject(new TooManyRequestsError("Try again", "BUSY")),
	limited: () => Promise.reject(new TooManyRequestsError("Try again", "RATE_LIMIT")),
	down: () => Promise.reject(new UnavailableError("Not now", "STORE_UNREACHABLE")),
	broken: () => Promise.reject(new TypeError("undefined is not a function")),
};

describe("callMetrics()", () => {
	let metrics: Metrics;
	let broker: ServiceBroker;

	beforeEach(async () => {
		metrics = new Metrics();
		broker = new ServiceBroker({ logger: false, middlewares: [callMetrics(metrics)] });
		broker.createService({ name: "things", actions: { ...outcomes } });
		await broker.start();
	});

	afterEach(() => broker.stop());

	it("observes each call, and counts those that failed by whose fault it was", async () => {
		for (const name of Object.keys(outcomes)) await broker.call(`things.${name}`).catch(() => {});
		const text = await exposition(metrics);
		for (const name of Object.keys(outcomes))
			expect(text).to.include(`atelier_bus_call_seconds_count{action="things.${name}"} 1\n`);
		const counted = [...text.matchAll(/^atelier_bus_failures_total\{action="things\.(\w+)",outcome="(\w+)"\} 1$/gm)];
		expect(Object.fromEntries(counted.map(([, name, outcome]) => [name, outcome]))).to.deep.equal({
			unknown: "refused",
			crowded: "busy",
			limited: "refused",
			down: "failed",
			broken: "failed",
		});
	});

	it("shows failures of ours before the first one, and passes on the error", async () => {
		expect(await exposition(metrics)).to.include(
			'atelier_bus_failures_total{action="things.done",outcome="failed"} 0\n',
		);
		const failure = await broker.call("things.down").catch((error: unknown) => error);
		expect(failure).to.be.instanceOf(UnavailableError);
	});
});
