import { expect } from "chai";
import { Metrics } from "#shared/metrics/metrics.ts";
import { ProcessMetrics } from "#shared/metrics/process-metrics.ts";
import { eventually } from "../../../support/eventually.ts";

describe("ProcessMetrics", () => {
	it("show the longest lag to each of two readers", async () => {
		const metrics = new Metrics();
		const watch = new ProcessMetrics(metrics);
		const read = async () => (await metrics.samples()).get("atelier_event_loop_lag_seconds")?.[0]?.value ?? 0;
		try {
			await eventually(async () => {
				const end = performance.now() + 200;
				while (performance.now() < end);
				return (await read()) > 0.1;
			});
			expect(await read()).to.be.above(0.1);
		} finally {
			watch.stop();
		}
	});
});
