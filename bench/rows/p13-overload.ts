import { loadServer, type ServerSample } from "../load.ts";
import { platformWithoutPods } from "../platform.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 4;
/** The concurrent requests, of which the load with the best throughput is chosen. */
const loads = [64, 128, 256, 512, 1_024];

export const p13: Row = {
	id: "P13",
	title: "Creations at three times the load that the platform carries best: what still succeeds, against its peak",
	async measure(): Promise<Measured> {
		await using opened = await platformWithoutPods();
		const { platform, pid } = opened;
		const url = `${platform.prefix}/sessions`;
		const headers = { "content-type": "application/json" };
		const order = { url, seconds, method: "POST", headers, body: JSON.stringify({ name: "more" }) } as const;
		const create = (connections: number) => loadServer(pid, { ...order, connections }, [201, 429, 503]);

		const found = await interleaved(Object.fromEntries(loads.map((load) => [load, () => create(load)])), 3);
		const best = loads.toSorted((one, other) => goodput(found[other]) - goodput(found[one]))[0] ?? 0;
		const samples = await interleaved({ peak: () => create(best), overload: () => create(3 * best) }, 5);
		const figures = {
			peak_connections: best,
			peak_per_s: goodput(samples.peak),
			overload_per_s: goodput(samples.overload),
			peak_p99_ms: median(samples.peak.map(({ p99 }) => p99)),
			overload_p99_ms: median(samples.overload.map(({ p99 }) => p99)),
			slowest_refusal_ms: Math.max(...samples.overload.map(({ slowestRefusalMs }) => slowestRefusalMs)),
		};
		return {
			verdicts: [
				{ what: "goodput at 3×", value: figures.overload_per_s / figures.peak_per_s, compare: ">=", target: 0.7 },
				{
					what: "ms of the slowest refusal on an open connection",
					value: figures.slowest_refusal_ms,
					compare: "<=",
					target: 100,
				},
			],
			figures,
		};
	},
};

/** Returns the sessions created per second, as the median of the samples. */
function goodput(samples: readonly ServerSample[] = []): number {
	return median(samples.map(({ byStatus }) => (byStatus["201"] ?? 0) / seconds));
}
