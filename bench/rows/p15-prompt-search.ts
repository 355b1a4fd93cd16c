import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongodSet, withoutMongod } from "../../test/support/stores/mongod-set.ts";
import { deepPage, millis } from "../list-time.ts";
import type { PromptsOrder } from "../many-prompts.ts";
import { type BenchPlatform, platformWithoutPods } from "../platform.ts";
import { Program } from "../program.ts";
import type { Measured, Row, Verdict } from "../row.ts";

const few = 1_000;
const many = 10_000;

/** Texts that one prompt contains, that all contain, and two without a trigram, of which no prompt contains the last. */
const texts = { rare: "needle", common: "review", short: "ee", absent: "zq" } as const;

export const p15: Row = {
	id: "P15",
	title: "Search of 50 prompts at 10,000 prompts, against at 1,000; page 190 of the list, against the first",
	async measure(): Promise<Measured> {
		const embedded = await measured("sqlite", filledEmbedded);
		if (withoutMongod !== undefined) return embedded;
		await using servers = await MongodSet.start(1);
		const mongodb = await measured("mongodb", (count) => filledMongodb(servers.url, count));
		return {
			verdicts: [...embedded.verdicts, ...mongodb.verdicts],
			figures: { ...embedded.figures, ...mongodb.figures },
		};
	},
};

async function measured(store: string, fill: (count: number) => Promise<BenchPlatform>): Promise<Measured> {
	await using small = await fill(few);
	await using large = await fill(many);
	const figures: Record<string, number> = {};
	const verdicts: Verdict[] = [];
	for (const [kind, text] of Object.entries(texts)) {
		const path = `/prompts/search?q=${text}&limit=50`;
		const [numerator, denominator] = await millis({ server: large, path }, { server: small, path });
		figures[`${store}_${kind}_large_ms`] = numerator;
		figures[`${store}_${kind}_small_ms`] = denominator;
		const what = `time of a search for the text "${text}" (${kind}), ${store}`;
		verdicts.push({ what, value: numerator / denominator, compare: "<=", target: 12 });
	}
	const first = "/prompts?limit=50";
	const deep = { server: large, path: await deepPage(large, first, 190) };
	const [numerator, denominator] = await millis(deep, { server: large, path: first });
	figures[`${store}_deep_page_ms`] = numerator;
	figures[`${store}_first_page_ms`] = denominator;
	const what = `time of page 190 of the list, ${store}`;
	return { verdicts: [...verdicts, { what, value: numerator / denominator, compare: "<=", target: 2 }], figures };
}

async function filledEmbedded(count: number): Promise<BenchPlatform> {
	const folder = mkdtempSync(join(tmpdir(), "atelier-bench-"));
	const dataDir = join(folder, "data");
	await fill({ count, folder: join(dataDir, "store") });
	const opened = await platformWithoutPods({ dataDir });
	return {
		...opened,
		async [Symbol.asyncDispose]() {
			await opened[Symbol.asyncDispose]();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function filledMongodb(url: string, count: number): Promise<BenchPlatform> {
	const mongodb = { url, database: `bench_${count}` };
	await fill({ count, mongodb });
	const store = { adapter: "shared/store/mongodb-store.ts#MongodbStore", kwargs: mongodb };
	return platformWithoutPods({ config: { store } });
}

async function fill(order: PromptsOrder): Promise<void> {
	await using _filler = await Program.start("./many-prompts.ts", order);
}
