/**
 * A program that writes to an embedded store as fast as it can until it is killed: `store-writer.ts <folder> <round>`.
 * It prints a line for every acknowledged write: the id of a new document, or `counter <value>`.
 */
import { EmbeddedStore } from "#shared/store/embedded-store.ts";
import { event, job, jobs, sampleCollections } from "./sample-collections.ts";

const writers = 16;
const [folder = "", round = ""] = process.argv.slice(2);

/** Prints a line at once, because writing to a pipe is synchronous on Linux. */
function acknowledge(line: string): void {
	process.stdout.write(`${line}\n`);
}

async function insertForEver(store: EmbeddedStore, writer: number): Promise<never> {
	for (let n = 1; ; n++) {
		const id = `${round}-${writer}-${n}`;
		await store.insert(jobs, job(id, { made: id, notes: [{ filling: "x".repeat(n % 4_000) }] }), [event(n)]);
		acknowledge(id);
	}
}

async function countForEver(store: EmbeddedStore): Promise<never> {
	for (;;) {
		const counter = await store.update(jobs, "counter", {}, { inc: { spent: 1 } });
		acknowledge(`counter ${counter?.spent}`);
	}
}

try {
	const store = new EmbeddedStore({ folder });
	await store.open(sampleCollections);
	if (!(await store.get(jobs, "counter"))) await store.insert(jobs, job("counter", { spent: 0 }));
	const inserting = Array.from({ length: writers }, (_, writer) => insertForEver(store, writer));
	await Promise.all([...inserting, countForEver(store)]);
} catch (error) {
	console.error(String(error));
	process.exit(1);
}
