import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongodSet, withoutMongod } from "../../test/support/stores/mongod-set.ts";
import type { PromptsOrder } from "../many-prompts.ts";
import { type BenchPlatform, platformWithoutPods } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row, Verdict } from "../row.ts";

const few = 1_000;
const many = 10_000;
const repeats = 5;

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
	const deep = { server: large, path: await deepPage(large, 190) };
	const [numerator, denominator] = await millis(deep, { server: large, path: first });
	figures[`${store}_deep_page_ms`] = numerator;
	figures[`${store}_first_page_ms`] = denominator;
	const what = `time of page 190 of the list, ${store}`;
	return { verdicts: [...verdicts, { what, value: numerator / denominator, compare: "<=", target: 2 }], figures };
}

interface Request {
	readonly server: BenchPlatform;
	readonly path: string;
}

/** Returns the medians of the times of both requests in milliseconds. */
async function millis(one: Request, other: Request): Promise<[number, number]> {
	const samples = await interleaved({ one: () => timed(one), other: () => timed(other) }, 5);
	return [median(samples.one.flat()), median(samples.other.flat())];
}

/** Sends the request several times, one after the other; a search may take longer than a run of the load generator. */
async function timed({ server: { platform }, path }: Request): Promise<number[]> {
	const times: number[] = [];
	for (let n = 0; n < repeats; n++) {
		const begun = performance.now();
		const response = await fetch(platform.prefix + path);
		await response.arrayBuffer();
		if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
		times.push(performance.now() - begun);
	}
	return times;
}

/** Follows `Link` to a page of the list, and returns its path. */
async function deepPage({ platform }: BenchPlatform, number: number): Promise<string> {
	let path = "/prompts?limit=50";
	for (let page = 1; page < number; page++) {
		const link = (await fetch(platform.prefix + path)).headers.get("link") ?? "";
		const [, next] = /<[^>]*(\/prompts[^>]+)>; rel="next"/.exec(link) ?? [];
		if (next === undefined) throw new Error(`There is no page ${page + 1}`);
		path = next;
	}
	return path;
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
