import { expect } from "chai";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

describe("Metrics", () => {
	it("adds to the series with the same labels", async () => {
		const metrics = new Metrics();
		metrics.counter("atelier_passes_total").at("done").add();
		metrics.counter("atelier_passes_total").at("done").add(2);
		metrics.counter("atelier_passes_total").at("failed").add();
		const text = await exposition(metrics);
		expect(text).to.include('atelier_passes_total{outcome="done"} 3\n');
		expect(text).to.include('atelier_passes_total{outcome="failed"} 1\n');
	});

	it("shows a metric without labels from the beginning, so that its first change is seen", async () => {
		const metrics = new Metrics();
		metrics.counter("atelier_model_cost_dollars_total");
		expect(await exposition(metrics)).to.include("atelier_model_cost_dollars_total 0\n");
	});

	it("counts a value in the first bucket whose bound it does not exceed, and in all after it", async () => {
		const metrics = new Metrics();
		const seconds = metrics.histogram("atelier_pass_seconds").at();
		for (const value of [0.001, 0.0011, 9, 11]) seconds.observe(value);
		const lines = (await exposition(metrics)).split("\n");
		expect(lines).to.include('atelier_pass_seconds_bucket{le="0.001"} 1');
		expect(lines).to.include('atelier_pass_seconds_bucket{le="0.0025"} 2');
		expect(lines).to.include('atelier_pass_seconds_bucket{le="10"} 3');
		expect(lines).to.include('atelier_pass_seconds_bucket{le="+Inf"} 4');
		expect(lines).to.include("atelier_pass_seconds_count 4");
		expect(lines).to.include("atelier_pass_seconds_sum 20.0021");
	});

	it("has at most 2,000 series of a metric; further values become `other`", () => {
		const metrics = new Metrics();
		const failures = metrics.counter("atelier_session_failures_total");
		for (let i = 0; i < 2_010; i++) failures.at(`code-${i}`).add();
		const series = [...failures.series()];
		expect(series).to.have.length(2_001);
		expect(failures.at("other").value).to.equal(10);
	});

	it("reads sampled values at each scrape, from all who have some", async () => {
		const metrics = new Metrics();
		let clients = 1;
		metrics.sample("atelier_stream_clients", () => clients++);
		metrics.sample("atelier_leases_held", () => [{ labels: ["relay"], value: 1 }]);
		metrics.sample("atelier_leases_held", async () => [{ labels: ["stats"], value: 0 }]);
		const text = await exposition(metrics);
		expect(text).to.include("atelier_stream_clients 1\n");
		expect(text).to.include('atelier_leases_held{name="relay"} 1\natelier_leases_held{name="stats"} 0\n');
		expect(await exposition(metrics)).to.include("atelier_stream_clients 2\n");
	});

	it("leaves out a value that cannot be had, or not in time, and counts that", async () => {
		const metrics = new Metrics();
		metrics.sample("atelier_stream_clients", () => {
			throw new Error("no");
		});
		metrics.sample("atelier_pods", () => new Promise<never>(() => {}));
		metrics.sample("atelier_sessions", () => [{ labels: ["running"], value: 3 }]);
		const text = await exposition(metrics);
		expect(text).to.not.include("atelier_stream_clients ").and.to.not.include("atelier_pods{");
		expect(text).to.include('atelier_sessions{status="running"} 3\n');
		expect(text).to.include('atelier_metric_failures_total{metric="atelier_pods"} 1\n');
		expect(text).to.include('atelier_metric_failures_total{metric="atelier_stream_clients"} 1\n');
	});

	it("escapes values of labels", async () => {
		const metrics = new Metrics();
		metrics.counter("atelier_session_failures_total").at('a"b\\c\nd').add();
		expect(await exposition(metrics)).to.include('{code="a\\"b\\\\c\\nd"} 1\n');
	});
});
