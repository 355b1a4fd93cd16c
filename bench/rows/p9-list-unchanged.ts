import { filledPlatform } from "../filled-platform.ts";
import { loadServer } from "../load.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const sessions = 1_000;
const seconds = 2;
const connections = 16;

export const p9: Row = {
	id: "P9",
	title: "GET /sessions that has not changed, with If-None-Match, against the full answer",
	async measure(): Promise<Measured> {
		await using opened = await filledPlatform(sessions);
		const { platform, pid } = opened;
		const url = `${platform.prefix}/sessions`;
		const tag = (await fetch(url)).headers.get("etag") ?? "";
		const order = { url, seconds, connections };
		const samples = await interleaved(
			{
				unchanged: () => loadServer(pid, { ...order, headers: { "if-none-match": tag } }, [304]),
				full: () => loadServer(pid, order, [200]),
			},
			5,
		);
		const cpu = (each: readonly { cpuMicrosPerRequest: number }[]) =>
			median(each.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest));
		const figures = { unchanged_cpu_us: cpu(samples.unchanged), full_cpu_us: cpu(samples.full) };
		const value = figures.unchanged_cpu_us / figures.full_cpu_us;
		return { verdicts: [{ what: "CPU", value, compare: "<=", target: 0.25 }], figures };
	},
};
