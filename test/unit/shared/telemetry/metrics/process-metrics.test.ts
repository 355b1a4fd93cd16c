import { expect } from "chai";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { ProcessMetrics } from "#shared/telemetry/metrics/process-metrics.ts";
import { eventually } from "../../../../support/eventually.ts";

function block(ms: number): void {
	const end = performance.now() + ms;
	while (performance.now() < end);
}

describe("ProcessMetrics", () => {
	it("show the longest lag to each of two readers", async () => {
		const metrics = new Metrics();
		const watch = new ProcessMetrics(metrics);
		const read = async () => (await metrics.samples()).get("atelier_event_loop_lag_seconds")?.[0]?.value ?? 0;
		try {
			await eventually(async () => {
				block(200);
				return (await read()) > 0.1;
			});
			expect(await read()).to.be.above(0.1);
		} finally {
			watch.stop();
		}
	});

	it("show a lag during which their window ends", async () => {
		const metrics = new Metrics();
		const watch = new ProcessMetrics(metrics, 500);
		try {
			// The callback of a timer is followed by the callbacks of all timers that are due, and then by the histogram.
			await new Promise<void>((resolve) => setTimeout(() => resolve(block(1_500)), 1));
			await new Promise((resolve) => setTimeout(resolve, 100));
			expect((await metrics.samples()).get("atelier_event_loop_lag_seconds")?.[0]?.value).to.be.above(0.5);
		} finally {
			watch.stop();
		}
	});
});
