import { loadServer } from "../load.ts";
import { platformWithoutPods } from "../platform.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 4;
/** As many requests under way as keep the platform busy. */
const busy = 128;

export const p13: Row = {
	id: "P13",
	title:
		"Creations and reads at three times the load that keeps the platform busy: what still succeeds, against its peak",
	async measure(): Promise<Measured> {
		await using opened = await platformWithoutPods();
		const { platform, pid } = opened;
		const url = `${platform.prefix}/sessions`;
		const headers = { "content-type": "application/json" };
		const order = { url, seconds, method: "POST", headers, body: JSON.stringify({ name: "more" }) } as const;
		const samples = await interleaved(
			{
				peak: () => loadServer(pid, { ...order, connections: busy }, [201]),
				overload: () => loadServer(pid, { ...order, connections: 3 * busy }, [201, 429, 503]),
				flood: () => loadServer(pid, { ...order, connections: 12 * busy }, [201, 429, 503]),
			},
			5,
		);
		const goodput = (each: { byStatus: Readonly<Record<string, number>> }) => (each.byStatus["201"] ?? 0) / seconds;
		const refused = [...samples.overload, ...samples.flood];
		const figures = {
			peak_per_s: median(samples.peak.map(goodput)),
			overload_per_s: median(samples.overload.map(goodput)),
			flood_per_s: median(samples.flood.map(goodput)),
			overload_p99_ms: median(samples.overload.map(({ p99 }) => p99)),
			slowest_refusal_ms: Math.max(...refused.map(({ slowestRefusalMs }) => slowestRefusalMs)),
		};
		return {
			verdicts: [
				{ what: "goodput at 3×", value: figures.overload_per_s / figures.peak_per_s, compare: ">=", target: 0.7 },
				{ what: "goodput at 12×", value: figures.flood_per_s / figures.peak_per_s, compare: ">=", target: 0.7 },
				{ what: "ms of the slowest refusal", value: figures.slowest_refusal_ms, compare: "<=", target: 100 },
			],
			figures,
		};
	},
};
