import { expect } from "chai";
import { PassMetrics, podSamples } from "#services/pod-manager/reconciliation/pass-metrics.ts";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

describe("PassMetrics", () => {
	it("count passes by outcome, both from the beginning, with their times", async () => {
		const metrics = new Metrics();
		const passes = new PassMetrics(metrics, () => 0);
		expect(await exposition(metrics)).to.include('atelier_passes_total{outcome="failed"} 0\n');
		passes.ended(true, 500);
		passes.ended(true, 1_500);
		passes.ended(false, 1_000);
		const text = await exposition(metrics);
		expect(text).to.include('atelier_passes_total{outcome="done"} 2\n');
		expect(text).to.include('atelier_passes_total{outcome="failed"} 1\n');
		expect(text).to.include("atelier_pass_seconds_sum 3\n").and.to.include("atelier_pass_seconds_count 3\n");
	});

	it("show for how long the reconciler has heard nothing; a reconciler that never heard anything is silent for ever", async () => {
		const metrics = new Metrics();
		let silentMs = Infinity;
		new PassMetrics(metrics, () => silentMs);
		expect(await exposition(metrics)).to.include("atelier_reconciler_silent_seconds +Inf\n");
		silentMs = 2_500;
		expect(await exposition(metrics)).to.include("atelier_reconciler_silent_seconds 2.5\n");
	});
});

describe("podSamples()", () => {
	it("counts pods by state, and shows the states without any", () => {
		const pod = (state: Pod["state"]): Pod => ({
			name: "session-a-g1",
			sessionId: "a",
			generation: 1,
			state,
			timings: {},
		});
		const samples = podSamples([pod("ready"), pod("gone"), pod("ready")]);
		const counts = Object.fromEntries(samples.map(({ labels: [state], value }) => [state, value]));
		expect(counts).to.deep.equal({ launching: 0, ready: 2, failed: 0, leaving: 0, gone: 1 });
	});
});
