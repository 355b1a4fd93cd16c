import { expect } from "chai";
import { ServiceBroker } from "moleculer";
import { bulkheadMiddleware } from "#shared/bus/bulkhead-middleware.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

describe("bulkheadMiddleware()", () => {
	it("shows how many calls of an action wait for a turn, and no action for which none waits", async () => {
		const metrics = new Metrics();
		const broker = new ServiceBroker({ logger: false, middlewares: [bulkheadMiddleware(metrics)] });
		const open = Promise.withResolvers<void>();
		broker.createService({ name: "things", actions: { slow: () => open.promise, quick: () => undefined } });
		await broker.start();
		const calls = Array.from({ length: 140 }, () => broker.call("things.slow"));
		await broker.call("things.quick");
		const waiting = async () => [...(await exposition(metrics)).matchAll(/^atelier_bus_calls_waiting\{.*$/gm)].join();
		expect(await waiting(), "one caller has 128 places").to.equal('atelier_bus_calls_waiting{action="things.slow"} 12');
		open.resolve();
		await Promise.all(calls);
		expect(await waiting()).to.equal("");
		await broker.stop();
	});
});
