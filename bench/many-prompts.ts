/** A program that fills a store with saved prompts of some 2,000 characters, and ends. */
import type { Principal } from "#shared/base/principal.ts";
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { MongodbStore, type MongodbStoreOptions } from "#shared/store/mongodb-store.ts";
import { promptCollection } from "#services/blueprints/prompts/prompt-collection.ts";
import { PromptRecords } from "#services/blueprints/prompts/prompt-records.ts";
import { order, report } from "./program.ts";

/** The store to fill; exactly one of the two is given. */
export interface PromptsOrder {
	readonly count: number;
	/** The folder of a SQLite file. */
	readonly folder?: string;
	readonly mongodb?: MongodbStoreOptions;
}

const { count, folder = "", mongodb } = order<PromptsOrder>();
const principal: Principal = { kind: "user", id: "dev-user", tenant: "default", roles: [] };
const together = 100;
const wordsEach = 300;

const store: DocumentStore = mongodb ? new MongodbStore(mongodb) : new EmbeddedStore({ folder });
await store.open([promptCollection]);
const records = new PromptRecords(store);
for (let n = 0; n < count; n += together) {
	const numbers = Array.from({ length: Math.min(together, count - n) }, (_, offset) => n + offset);
	await Promise.all(numbers.map((each) => save(each)));
}
await store.close();
report({});
process.disconnect();

/** Saves one prompt. All contain "Review", and only one contains "needle". */
async function save(n: number): Promise<void> {
	const words = Array.from({ length: wordsEach }, (_, index) => wordOf(n * wordsEach + index));
	const content = [`Review part ${n}`, ...words, ...(n === 500 ? ["the needle"] : [])].join(" ");
	await records.create(principal, { name: `prompt ${n}`, content, scope: "global", tags: [] });
}

/** Returns one of 4,096 words of four to eight letters, which repeat without a pattern. */
function wordOf(n: number): string {
	const mixed = Math.imul(n ^ (n >>> 7), 0x9e3779b1) >>> 20;
	return mixed.toString(6).replaceAll(/\d/g, (digit) => "aeiourstln".slice(Number(digit), Number(digit) + 2));
}
