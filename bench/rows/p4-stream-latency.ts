import { interleaved, median, quantile } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";
import { StreamSubject } from "../stream-subject.ts";

const seconds = 4;
const perSecond = 100;

export const p4: Row = {
	id: "P4",
	title: "p99 of an event's way to 1,000 clients at 100 events/s, against raw node:net at the same load",
	async measure(): Promise<Measured> {
		await using ours = await StreamSubject.open("./platform-sse.ts", 800);
		await using raw = await StreamSubject.open("./baselines/raw-sse.ts", 50);
		const samples = await interleaved(
			{ ours: () => ours.steady(perSecond, seconds), baseline: () => raw.steady(perSecond, seconds) },
			5,
		);
		const at = (rounds: readonly (readonly number[])[], q: number) => median(rounds.map((round) => quantile(round, q)));
		const figures = {
			ours_p50_ms: at(samples.ours, 0.5),
			ours_p99_ms: at(samples.ours, 0.99),
			baseline_p50_ms: at(samples.baseline, 0.5),
			baseline_p99_ms: at(samples.baseline, 0.99),
		};
		const value = figures.ours_p99_ms / figures.baseline_p99_ms;
		return { verdicts: [{ what: "p99", value, compare: "<=", target: 1.3 }], figures };
	},
};
