import { loadServer } from "../load.ts";
import { platformWithoutPods } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 3;
const connections = 64;
const headers = { "content-type": "application/json" };
const body = JSON.stringify({ name: "created", source: { type: "git", repo: "https://example.org/a.git" } });

export const p5: Row = {
	id: "P5",
	title: "POST /sessions to 201, with its event, against raw durable SQLite commits of the same bytes",
	async measure(): Promise<Measured> {
		await using opened = await platformWithoutPods();
		const { platform, pid } = opened;
		const url = `${platform.prefix}/sessions`;
		const created = await fetch(url, { method: "POST", headers, body });
		// Both the document and its event contain the session.
		const bytes = 2 * (await created.text()).length;
		const { ours, baseline } = await interleaved(
			{
				ours: () => loadServer(pid, { url, seconds, connections, method: "POST", headers, body }, [201]),
				baseline: async () => {
					await using program = await Program.start<{ perSecond: number }>("./baselines/sqlite-commits.ts", {
						bytes,
						seconds,
					});
					return program.ready;
				},
			},
			5,
		);
		const figures = {
			ours_per_s: median(ours.map(({ perSecond }) => perSecond)),
			baseline_per_s: median(baseline.map(({ perSecond }) => perSecond)),
			ours_p99_ms: median(ours.map(({ p99 }) => p99)),
			ours_cpu_us: median(ours.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
		};
		const value = figures.ours_per_s / figures.baseline_per_s;
		return { verdicts: [{ what: "creations/s", value, compare: ">=", target: 0.5 }], figures };
	},
};
