import { expect } from "chai";
import { BookMetrics } from "#services/sessions/books/book-metrics.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

describe("BookMetrics", () => {
	it("count what pods report, and not what users say of their own sessions", async () => {
		const metrics = new Metrics();
		const measured = new BookMetrics(metrics);
		const row = { id: "r", wire: "{}", input_tokens: 3, output_tokens: 4, micros: 2_000_000 };
		measured.used({ ...row, source: "user" });
		expect(await exposition(metrics)).to.match(/^atelier_model_cost_dollars_total 0$/m);
		measured.used({ ...row, source: "metered" });
		const text = await exposition(metrics);
		expect(text).to.match(/^atelier_model_cost_dollars_total 2$/m);
		expect(text).to.match(/^atelier_model_tokens_total\{kind="input"\} 3$/m);
	});
});
