/** Any sequence of operations has the same outcome on SQLite and over MongoDB's wire protocol, on `MONGODB_URL` if set. */
import { expect } from "chai";
import fc from "fast-check";
import type { Change, Guard, OutboxEntry } from "#shared/store/port/documents.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { openEmbedded, openOnEndpoint, openOnServer } from "../support/stores/open-stores.ts";
import { event, type Job, type JobColumns, jobs, type Note, notes } from "../support/stores/sample-collections.ts";

type Operation = (store: DocumentStore) => Promise<unknown>;

const id = fc.constantFrom("a", "b", "c");
const number = fc.integer({ min: -2, max: 3 });
const text = fc.constantFrom("x", "y", "");
const noteList = fc.array(fc.oneof(fc.record({ n: number }), text, number, fc.constant(null)), { maxLength: 3 });
const events: fc.Arbitrary<OutboxEntry[]> = fc.array(
	fc.tuple(fc.integer({ min: 1, max: 6 }), number).map(([n, at]) => event(n, at)),
	{ maxLength: 2 },
);

/** Members that may be absent. */
const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] });

const columns = some({
	tenant: text,
	state: text,
	made: text,
	rev: number,
	spent: number,
	budget: number,
	key: text,
	notes: noteList,
});
const document: fc.Arbitrary<Job> = fc.tuple(id, columns).map(([name, set]) => ({ ...set, id: name, wire: "{}" }));

const guard: fc.Arbitrary<Guard<JobColumns>> = some({
	equals: some({ rev: number, state: text }),
	fits: fc.record({ column: fc.constant("spent" as const), plus: number, limit: fc.constant("budget" as const) }),
});

/** Each column is in one part only, as in a valid change. */
const change: fc.Arbitrary<Change<JobColumns>> = fc.oneof(
	some({ wire: fc.constant("[]"), set: columns }),
	some({
		set: some({ state: text, key: text }),
		inc: some({ rev: number, spent: number }),
		pull: some({ notes: number }),
	}),
	some({ unset: fc.subarray(["tenant", "key", "made", "notes"] as const), inc: some({ rev: number }) }),
);

const pushed = fc.oneof(fc.record({ n: number }), text, noteList);

const operation: fc.Arbitrary<Operation> = fc.oneof(
	fc.tuple(document, events).map(
		([whole, out]) =>
			(store: DocumentStore) =>
				store.insert(jobs, whole, out),
	),
	fc.array(document, { maxLength: 3 }).map((list) => (store: DocumentStore) => store.append(jobs, list)),
	fc.tuple(id, guard, change, events).map(
		([name, when, what, out]) =>
			(store: DocumentStore) =>
				store.update(jobs, name, when, what, out),
	),
	fc.tuple(id, pushed).map(
		([name, value]) =>
			async (store: DocumentStore) =>
				Array.isArray((await store.get(jobs, name))?.notes ?? []) &&
				store.update(jobs, name, {}, { push: { notes: value } }),
	),
	fc.tuple(id, guard).map(
		([name, when]) =>
			(store: DocumentStore) =>
				store.remove(jobs, name, when),
	),
	fc.array(id, { maxLength: 3 }).map((names) => (store: DocumentStore) => store.removeMany(jobs, names)),
	fc.tuple(id, number).map(
		([name, n]) =>
			(store: DocumentStore) =>
				store.trimOutbox(jobs, name, n + 2),
	),
	fc.tuple(text, text, fc.boolean()).map(
		([tenant, state, descending]) =>
			(store: DocumentStore) =>
				store.find(jobs, "by_state", { equals: [tenant, state] }, { limit: 2, descending }),
	),
	fc.tuple(text, text).map(
		([tenant, from]) =>
			(store: DocumentStore) =>
				store.count(jobs, "by_key", { equals: [tenant], from }),
	),
);

/** Texts that share parts of one to four characters. */
const searchable = fc.stringMatching(/^[ab%_"\\é😀]{0,6}$/u);
const noteColumns = some({ title: searchable, body: searchable, made: text });
const noteOperation: fc.Arbitrary<Operation> = fc.oneof(
	fc.tuple(id, noteColumns).map(([name, set]) => {
		const whole: Note = { tenant: "acme", ...set, id: name, wire: "{}" };
		return (store: DocumentStore) => store.insert(notes, whole);
	}),
	fc.tuple(id, noteColumns).map(
		([name, set]) =>
			(store: DocumentStore) =>
				store.update(notes, name, {}, { set }),
	),
	fc.tuple(id, fc.subarray(["title", "body"] as const)).map(
		([name, unset]) =>
			(store: DocumentStore) =>
				store.update(notes, name, {}, { unset }),
	),
	id.map((name) => (store: DocumentStore) => store.remove(notes, name, {})),
	fc.tuple(searchable, fc.integer({ min: 1, max: 2 })).map(
		([wanted, limit]) =>
			(store: DocumentStore) =>
				store.search(notes, { equals: ["acme"] }, { text: wanted, limit }),
	),
);

/** The outcome of an operation; a failure is its kind and sentence. */
async function outcome(run: Operation, store: DocumentStore): Promise<unknown> {
	const [settled] = await Promise.allSettled([run(store)]);
	return settled.status === "fulfilled" ? settled.value : String(settled.reason);
}

/** The documents that each of the texts finds. */
async function found(store: DocumentStore): Promise<unknown> {
	const texts = ["a", "b", "ab", "aba", "%", "_", "😀é", '"', "\\"];
	const pages = texts.map((wanted) => store.search(notes, { equals: ["acme"] }, { text: wanted, limit: 10 }));
	return Promise.all(pages);
}

async function everything(store: DocumentStore): Promise<unknown> {
	return [await store.outbox(jobs, 10), ...(await Promise.all(["a", "b", "c"].map((name) => store.get(jobs, name))))];
}

/** Tries random sequences on both engines, and compares each outcome and `state` after each operation. */
async function agree(
	operations: fc.Arbitrary<Operation>,
	empty: (store: DocumentStore) => Promise<unknown>,
	state: (store: DocumentStore) => Promise<unknown>,
	numRuns: number,
): Promise<void> {
	const embedded = await openEmbedded();
	const server = process.env["MONGODB_URL"];
	const mongodb = await (server ? openOnServer(server) : openOnEndpoint());
	try {
		await fc.assert(
			fc.asyncProperty(fc.array(operations, { maxLength: 25 }), async (sequence) => {
				for (const { store } of [embedded, mongodb]) await empty(store);
				for (const run of sequence) {
					expect(await outcome(run, mongodb.store)).to.deep.equal(await outcome(run, embedded.store));
					expect(await state(mongodb.store)).to.deep.equal(await state(embedded.store));
				}
			}),
			{ numRuns },
		);
	} finally {
		await embedded.discard();
		await mongodb.discard();
	}
}

describe("The engines of the document store agree", function () {
	// The test makes some two thousand writes, each of which waits for the disk.
	this.timeout(120_000);

	it("on any sequence of operations", () =>
		agree(
			operation,
			(store) => Promise.all(["a", "b", "c"].map((name) => store.remove(jobs, name, {}))),
			everything,
			100,
		));

	it("on any sequence of writes and searches", () =>
		agree(noteOperation, (store) => store.removeMany(notes, ["a", "b", "c"]), found, 30));
});
