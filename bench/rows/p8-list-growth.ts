import { filledPlatform } from "../filled-platform.ts";
import { loadServer } from "../load.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const few = 1_000;
const many = 100_000;

export const p8: Row = {
	id: "P8",
	title: "First page of 50 sessions at 100,000 sessions, against at 1,000",
	async measure(): Promise<Measured> {
		await using small = await filledPlatform(few);
		await using large = await filledPlatform(many);
		const page = ({ platform }: typeof small) => `${platform.prefix}/sessions?limit=50`;
		const order = { seconds: 2, connections: 1 };
		const samples = await interleaved(
			{
				large: () => loadServer(large.pid, { ...order, url: page(large) }, [200]),
				small: () => loadServer(small.pid, { ...order, url: page(small) }, [200]),
			},
			5,
		);
		const figures = {
			small_cpu_us: median(samples.small.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
			large_cpu_us: median(samples.large.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
			small_per_s: median(samples.small.map(({ perSecond }) => perSecond)),
			large_per_s: median(samples.large.map(({ perSecond }) => perSecond)),
		};
		const value = figures.small_per_s / figures.large_per_s;
		return { verdicts: [{ what: "time of a page", value, compare: "<=", target: 2 }], figures };
	},
};
