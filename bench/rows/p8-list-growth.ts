import { type Fill, onBothStores } from "../filled-platform.ts";
import { deepPage, millis } from "../list-time.ts";
import { loadServer } from "../load.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const few = 1_000;
const many = 100_000;
const first = "/sessions?limit=50";

export const p8: Row = {
	id: "P8",
	title: "First page of 50 sessions at 100,000 sessions, against at 1,000; page 190, against the first; on both stores",
	measure: () => onBothStores(measured),
};

async function measured(store: string, fill: Fill): Promise<Measured> {
	await using small = await fill(few);
	await using large = await fill(many);
	const url = ({ platform }: typeof small) => platform.prefix + first;
	const order = { seconds: 2, connections: 1 };
	const samples = await interleaved(
		{
			large: () => loadServer(large.pid, { ...order, url: url(large) }, [200]),
			small: () => loadServer(small.pid, { ...order, url: url(small) }, [200]),
		},
		5,
	);
	const perSecond = (rounds: typeof samples.small) => median(rounds.map((round) => round.perSecond));
	const cpu = (rounds: typeof samples.small) => median(rounds.map((round) => round.cpuMicrosPerRequest));
	const deep = { server: large, path: await deepPage(large, first, 190) };
	const [deepMs, firstMs] = await millis(deep, { server: large, path: first });
	const value = perSecond(samples.small) / perSecond(samples.large);
	return {
		verdicts: [
			{ what: `time of a page, ${store}`, value, compare: "<=", target: 2 },
			{ what: `time of page 190, ${store}`, value: deepMs / firstMs, compare: "<=", target: 2 },
		],
		figures: {
			[`${store}_small_cpu_us`]: cpu(samples.small),
			[`${store}_large_cpu_us`]: cpu(samples.large),
			[`${store}_small_per_s`]: perSecond(samples.small),
			[`${store}_large_per_s`]: perSecond(samples.large),
			[`${store}_deep_page_ms`]: deepMs,
			[`${store}_first_page_ms`]: firstMs,
		},
	};
}
