import { type Fill, onBothStores } from "../filled-platform.ts";
import { millis } from "../list-time.ts";
import type { Measured, Row } from "../row.ts";

const few = 1_000;
const many = 100_000;
const path = "/stats";

export const p10: Row = {
	id: "P10",
	title: "`GET /stats` at 100,000 sessions, against at 1,000; on both stores",
	measure: () => onBothStores(measured),
};

async function measured(store: string, fill: Fill): Promise<Measured> {
	await using small = await fill(few);
	await using large = await fill(many);
	const [largeMs, smallMs] = await millis({ server: large, path }, { server: small, path });
	return {
		verdicts: [{ what: `time of the statistics, ${store}`, value: largeMs / smallMs, compare: "<=", target: 1.2 }],
		figures: { [`${store}_large_ms`]: largeMs, [`${store}_small_ms`]: smallMs },
	};
}
