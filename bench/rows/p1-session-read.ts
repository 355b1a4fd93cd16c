import { loadServer } from "../load.ts";
import { platformWithoutPods } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 3;
const connections = 64;

export const p1: Row = {
	id: "P1",
	title: "GET /sessions/{id} in one process, against bare node:http with the same JSON",
	async measure(): Promise<Measured> {
		await using opened = await platformWithoutPods();
		const { platform, pid } = opened;
		const { id } = (await platform.client().post<{ id: string }>("/sessions", { name: "read" })).body;
		const url = `${platform.prefix}/sessions/${id}`;
		const body = await (await fetch(url)).text();
		await using bare = await Program.start<{ port: number }>("./baselines/bare-http.ts", { body });
		const order = { seconds, connections };
		const { ours, baseline } = await interleaved(
			{
				ours: () => loadServer(pid, { ...order, url }, [200]),
				baseline: () => loadServer(bare.pid, { ...order, url: `http://127.0.0.1:${bare.ready.port}/` }, [200]),
			},
			5,
		);
		const figures = {
			ours_per_s: median(ours.map(({ perSecond }) => perSecond)),
			baseline_per_s: median(baseline.map(({ perSecond }) => perSecond)),
			ours_cpu_us: median(ours.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
			baseline_cpu_us: median(baseline.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
			ours_p99_ms: median(ours.map(({ p99 }) => p99)),
		};
		const ratio = median(ours.map(({ perSecond }, round) => perSecond / (baseline[round]?.perSecond ?? Number.NaN)));
		return { verdicts: [{ what: "requests/s", value: ratio, compare: ">=", target: 0.6 }], figures };
	},
};
