/** The suite that every document store must pass. Each test gets an empty store with the sample collections open. */
import { expect } from "chai";
import { type Change, DuplicateKeyError, type Guard, maxRemoved } from "#shared/store/port/documents.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { event, job, type JobColumns, jobs, log } from "../support/stores/sample-collections.ts";
import { describeConcurrentWriters } from "./concurrent-writers.contract.ts";
import { describeSearch } from "./document-store-search.contract.ts";
import { describeSnapshots } from "./store/snapshots.contract.ts";
import { describeStoredLists } from "./document-store-lists.contract.ts";
import { failureOf } from "../support/failure-of.ts";

export interface StoreUnderTest {
	readonly store: DocumentStore;
	/** Closes the store and removes its data. */
	discard(): Promise<void>;
}

/** @param open Opens an empty store with the sample collections. */
export function describeDocumentStore(engine: string, open: () => Promise<StoreUnderTest>): void {
	describe(`DocumentStore on ${engine}`, () => {
		let subject: StoreUnderTest | undefined;
		let store: DocumentStore;

		beforeEach(async () => {
			subject = await open();
			({ store } = subject);
		});

		afterEach(() => subject?.discard());

		describeDocuments(() => store);
		describeGuards(() => store);
		describeChanges(() => store);
		describeKeys(() => store);
		describeStoredLists(() => store);
		describeSearch(() => store);
		describeConcurrentWriters(() => store);
		describeSnapshots(() => store);
	});
}

function describeDocuments(store: () => DocumentStore): void {
	it("returns stored documents, and undefined for unknown ids", async () => {
		const whole = job("a", {
			wire: '{ "kept":  "as sent", "n": 1.50 }',
			due_at: 1_790_000_000_123,
			notes: [{ deep: { list: [1, "2", null, true, 1.5] } }, "größer", null],
		});
		await store().insert(jobs, whole);
		expect(await store().get(jobs, "a")).to.deep.equal(whole);
		expect(await store().get(jobs, "b")).to.equal(undefined);
	});

	it("keeps any text, whatever characters it has", async () => {
		const id = `'; DROP TABLE jobs; -- "$where" {"$gt": ""} \u0000 😀`;
		await store().insert(jobs, job(id, { state: "\u0000'\"$", notes: { text: "\u0000 😀 \\ '" } }));
		expect(await store().get(jobs, id)).to.deep.equal(
			job(id, { state: "\u0000'\"$", notes: { text: "\u0000 😀 \\ '" } }),
		);
	});

	it("removes a document once", async () => {
		await store().insert(jobs, job("a"));
		expect(await store().remove(jobs, "a", {})).to.equal(true);
		expect(await store().remove(jobs, "a", {})).to.equal(false);
		expect(await store().get(jobs, "a")).to.equal(undefined);
	});

	it("removes many at once with any names, and ignores missing ones", async () => {
		const names = ["a", "b'", `"$in" \u0000 😀`, "d"];
		for (const name of names) await store().insert(jobs, job(name));
		await store().removeMany(jobs, [...names.slice(0, 3), "never was"]);
		await store().removeMany(jobs, []);
		expect(await Promise.all(names.map(async (name) => (await store().get(jobs, name)) !== undefined))).to.deep.equal([
			false,
			false,
			false,
			true,
		]);
		const tooMany = Array.from({ length: maxRemoved + 1 }, (_, n) => `${n}`);
		expect(await failureOf(store().removeMany(jobs, tooMany))).to.be.instanceOf(RangeError);
	});

	it("refuses columns and values that were not declared", async () => {
		const wrong = [
			() => store().insert(jobs, { ...job("a"), other: 1 } as never),
			() => store().insert(jobs, job("a", { rev: 1.5 })),
			() => store().insert(jobs, job("a", { rev: "1" as never })),
			() => store().insert(jobs, job("a", { notes: undefined })),
			() => store().update(jobs, "a", { equals: { notes: [] } }, {}),
			() => store().update(jobs, "a", { equals: { tenant: "", state: "", made: "", rev: 1, spent: 1 } }, {}),
			() => store().update(jobs, "a", {}, { set: { rev: 1 }, inc: { rev: 1 } }),
			() => store().update(jobs, "a", {}, { inc: { state: 1 } }),
			() => store().update(jobs, "a", {}, { push: { state: "x" } }),
			() => store().update(log, "a", {}, { inc: { seq: 1 } }),
			() => store().insert(log, { id: "a", wire: "{}" }, [event(1)]),
			() => store().update(log, "a", {}, { wire: "{}" }, [event(1)]),
		];
		for (const attempt of wrong) expect(await failureOf(attempt())).to.be.instanceOf(TypeError);
		expect(await store().get(jobs, "a")).to.equal(undefined);
	});

	it("answers a ping", async () => {
		await store().ping();
	});

	it("finishes the writes that are under way when it is closed", async () => {
		const writes = Array.from({ length: 80 }, (_, index) => store().insert(jobs, job(`j${index}`)));
		await Promise.all([store().close(), ...writes]);
	});

	it("refuses to work when closed, and closes twice", async () => {
		await store().close();
		await store().close();
		for (const attempt of [store().get(jobs, "a"), store().insert(jobs, job("a")), store().ping()])
			expect(await failureOf(attempt)).to.include({ type: "STORE_CLOSED" });
	});
}

function describeGuards(store: () => DocumentStore): void {
	const held: Record<string, Guard<JobColumns>> = {
		nothing: {},
		"one column": { equals: { rev: 1 } },
		"four columns": { equals: { tenant: "acme", state: "new", rev: 1, spent: 6 } },
		"a sum within the limit": { fits: { column: "spent", plus: 4, limit: "budget" } },
		"a sum and columns": { equals: { spent: 6, rev: 1 }, fits: { column: "spent", plus: -6, limit: "budget" } },
	};
	const broken: Record<string, Guard<JobColumns>> = {
		"another value": { equals: { rev: 2 } },
		"one of four": { equals: { tenant: "acme", state: "old", rev: 1, spent: 6 } },
		"an absent column": { equals: { due_at: 0 } },
		"a sum beyond the limit": { fits: { column: "spent", plus: 5, limit: "budget" } },
		"a sum with an absent number": { fits: { column: "due_at", plus: 0, limit: "budget" } },
		"a sum under an absent limit": { fits: { column: "spent", plus: 0, limit: "due_at" } },
		"a sum, but not the column": { equals: { rev: 2 }, fits: { column: "spent", plus: 0, limit: "budget" } },
	};

	for (const [name, guard] of Object.entries(held))
		it(`writes when the guard holds: ${name}`, async () => {
			await store().insert(jobs, job("a", { spent: 6, budget: 10 }));
			expect(await store().update(jobs, "a", guard, { set: { state: "done" } })).to.include({ id: "a", state: "done" });
			expect(await store().get(jobs, "a")).to.include({ state: "done" });
			expect(await store().update(jobs, "b", guard, { set: { state: "done" } })).to.equal(undefined);
		});

	for (const [name, guard] of Object.entries(broken))
		it(`writes nothing when the guard is broken: ${name}`, async () => {
			await store().insert(jobs, job("a", { spent: 6, budget: 10 }));
			expect(await store().update(jobs, "a", guard, { set: { state: "done" } }, [event(1)])).to.equal(undefined);
			expect(await store().remove(jobs, "a", guard)).to.equal(false);
			expect(await store().get(jobs, "a")).to.deep.equal(job("a", { spent: 6, budget: 10 }));
			expect(await store().outbox(jobs, 10)).to.deep.equal([]);
		});

	it("lets exactly one of 200 concurrent updates of a revision win, round after round", async () => {
		await store().insert(jobs, job("a", { rev: 0 }));
		for (let rev = 0; rev < 5; rev++) {
			const contenders = Array.from({ length: 200 }, (_, index) =>
				store().update(jobs, "a", { equals: { rev } }, { set: { state: `${index}` }, inc: { rev: 1 } }),
			);
			const winners = (await Promise.all(contenders)).filter((outcome) => outcome !== undefined);
			expect(winners).to.have.length(1);
			expect(await store().get(jobs, "a")).to.deep.equal(winners[0]);
		}
	});

	it("never spends more than the budget with concurrent spenders", async () => {
		await store().insert(jobs, job("a", { spent: 0, budget: 100 }));
		const spending = Array.from({ length: 60 }, () =>
			store().update(jobs, "a", { fits: { column: "spent", plus: 7, limit: "budget" } }, { inc: { spent: 7 } }),
		);
		const spent = (await Promise.all(spending)).filter((outcome) => outcome !== undefined);
		expect(spent).to.have.length(14);
		expect(await store().get(jobs, "a")).to.include({ spent: 98 });
	});
}

function describeChanges(store: () => DocumentStore): void {
	const before = { notes: [{ n: 1 }, { n: 2 }, "text", { n: 3, s: 'q"' }, { m: 1 }], due_at: 5 };
	const changes: Record<string, { change: Change<JobColumns>; after: object }> = {
		nothing: { change: {}, after: {} },
		"the text": { change: { wire: "{}" }, after: { wire: "{}" } },
		set: {
			change: { set: { state: "done", made: "now", notes: null } },
			after: { state: "done", made: "now", notes: null },
		},
		inc: { change: { inc: { rev: 2, due_at: -7 } }, after: { rev: 3, due_at: -2 } },
		"inc of an absent column": { change: { inc: { spent: 4 } }, after: { spent: 4 } },
		push: { change: { push: { notes: { n: 4 } } }, after: { notes: [...before.notes, { n: 4 }] } },
		"push of a list": { change: { push: { notes: [1, 2] } }, after: { notes: [...before.notes, [1, 2]] } },
		pull: { change: { pull: { notes: 2 } }, after: { notes: ["text", { n: 3, s: 'q"' }, { m: 1 }] } },
		"all at once": {
			change: { wire: "[]", set: { state: "x" }, unset: ["due_at"], inc: { rev: 1 }, push: { notes: true } },
			after: { wire: "[]", state: "x", due_at: undefined, rev: 2, notes: [...before.notes, true] },
		},
	};

	for (const [name, { change, after }] of Object.entries(changes))
		it(`changes the named columns and nothing else: ${name}`, async () => {
			await store().insert(jobs, job("a", before));
			const expected: object = JSON.parse(JSON.stringify({ ...job("a", before), ...after }));
			expect(await store().update(jobs, "a", {}, change)).to.deep.equal(expected);
			expect(await store().get(jobs, "a")).to.deep.equal(expected);
		});

	it("takes an absent list for an empty one", async () => {
		await store().insert(jobs, job("a"));
		expect(await store().update(jobs, "a", {}, { pull: { notes: 9 } })).to.deep.equal(job("a"));
		expect(await store().update(jobs, "a", {}, { push: { notes: { n: 1 } } })).to.deep.equal(
			job("a", { notes: [{ n: 1 }] }),
		);
		expect(await store().update(jobs, "a", {}, { pull: { notes: 1 } })).to.deep.equal(job("a", { notes: [] }));
	});

	it("adds up what many add at once", async () => {
		await store().insert(jobs, job("a"));
		await Promise.all(Array.from({ length: 100 }, () => store().update(jobs, "a", {}, { inc: { rev: 1 } })));
		expect(await store().get(jobs, "a")).to.include({ rev: 101 });
	});
}

function describeKeys(store: () => DocumentStore): void {
	async function clash(attempt: Promise<unknown>): Promise<string> {
		const failure = await failureOf(attempt);
		expect(failure).to.be.instanceOf(DuplicateKeyError);
		return failure instanceof DuplicateKeyError ? failure.key : "";
	}

	it("refuses an id twice, and leaves the first document and its neighbours alone", async () => {
		await store().insert(jobs, job("a", { state: "first" }));
		const [taken, ...others] = await Promise.allSettled([
			store().insert(jobs, job("a", { state: "second" })),
			store().insert(jobs, job("b")),
			store().update(jobs, "a", {}, { inc: { rev: 1 } }),
		]);
		expect(taken).to.deep.include({ status: "rejected" });
		expect(others.map(({ status }) => status)).to.deep.equal(["fulfilled", "fulfilled"]);
		expect(await clash(store().insert(jobs, job("a")))).to.equal("id");
		expect(await store().get(jobs, "a")).to.include({ state: "first", rev: 2 });
	});

	it("refuses the values of a unique index twice, on insert and on update", async () => {
		await store().insert(jobs, job("a", { key: "k" }));
		await store().insert(jobs, job("b", { key: "k", tenant: "other" }));
		expect(await clash(store().insert(jobs, job("c", { key: "k" })))).to.equal("by_key");
		expect(await clash(store().update(jobs, "b", {}, { set: { tenant: "acme" } }))).to.equal("by_key");
		expect(await store().get(jobs, "b")).to.include({ tenant: "other" });
		expect(await store().get(jobs, "c")).to.equal(undefined);
	});

	it("ignores documents that lack a column of a unique index", async () => {
		for (const id of ["a", "b"]) await store().insert(jobs, job(id));
		await store().insert(jobs, job("c", { key: "k" }));
		expect(await store().update(jobs, "a", {}, { set: { key: "j" } })).to.include({ key: "j" });
		expect(await store().update(jobs, "a", {}, { unset: ["key"] })).to.deep.equal(job("a"));
		expect(await store().update(jobs, "c", {}, { unset: ["key", "due_at"] })).to.deep.equal(job("c"));
		expect(await store().update(jobs, "b", {}, { set: { key: "k" } })).to.include({ key: "k" });
		expect((await store().find(jobs, "by_key", { equals: ["acme"] }, { limit: 9 })).documents).to.have.length(1);
		expect(await store().update(jobs, "a", { equals: { key: "a" } }, {})).to.equal(undefined);
	});

	it("gives a key to one of many concurrent inserts", async () => {
		const attempts = Array.from({ length: 50 }, (_, index) => store().insert(jobs, job(`j${index}`, { key: "k" })));
		const outcomes = await Promise.allSettled(attempts);
		expect(outcomes.filter(({ status }) => status === "fulfilled")).to.have.length(1);
		expect(await store().count(jobs, "by_tenant", { equals: ["acme"] })).to.equal(1);
	});

	it("appends in order up to the first clash", async () => {
		const entry = (id: string, seq: number) => ({ id, wire: "{}", seq });
		expect(await store().append(log, [])).to.deep.equal({ inserted: 0 });
		expect(await store().append(log, [entry("a", 1), entry("b", 2)])).to.deep.equal({ inserted: 2 });
		const seqTaken = [entry("c", 3), entry("d", 2), entry("e", 4)];
		expect(await store().append(log, seqTaken)).to.deep.equal({ inserted: 1, clash: "by_seq" });
		expect(await store().append(log, [entry("b", 4), entry("f", 5)])).to.deep.equal({ inserted: 0, clash: "id" });
		const { documents } = await store().find(log, "by_seq", { equals: [] }, { limit: 10 });
		expect(documents.map(({ id }) => id)).to.deep.equal(["a", "b", "c"]);
		const tooMany = Array.from({ length: 501 }, (_, index) => entry(`x${index}`, 100 + index));
		expect(await failureOf(store().append(log, tooMany))).to.be.instanceOf(RangeError);
		expect(await store().append(log, tooMany.slice(1))).to.deep.equal({ inserted: 500 });
	});
}
