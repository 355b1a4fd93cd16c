import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";
import { type Saturation, StreamSubject } from "../stream-subject.ts";

const seconds = 4;

export const p3: Row = {
	id: "P3",
	title: "Events delivered to 1,000 clients at saturation, against raw node:net with one write per event",
	async measure(): Promise<Measured> {
		await using ours = await StreamSubject.open("./platform-sse.ts", 800);
		await using raw = await StreamSubject.open("./baselines/raw-sse.ts", 50);
		const samples = await interleaved({ ours: () => ours.saturate(seconds), baseline: () => raw.saturate(seconds) }, 5);
		const rate = (each: readonly Saturation[]) => median(each.map(({ deliveriesPerSecond }) => deliveriesPerSecond));
		const cpu = (each: readonly Saturation[]) => median(each.map(({ cpuMicrosPerDelivery }) => cpuMicrosPerDelivery));
		const figures = {
			ours_deliveries_per_s: rate(samples.ours),
			baseline_deliveries_per_s: rate(samples.baseline),
			ours_cpu_us: cpu(samples.ours),
			baseline_cpu_us: cpu(samples.baseline),
		};
		const value = rate(samples.ours) / rate(samples.baseline);
		return { verdicts: [{ what: "deliveries/s", value, compare: ">=", target: 5 }], figures };
	},
};
