/** The suite for many documents that every document store must pass: pages, counts, and the events of outboxes. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { OutboxEntry, Page, Range } from "#shared/store/port/documents.ts";
import { encodeCursor } from "#shared/store/pages/cursor.ts";
import { failureOf } from "../support/failure-of.ts";
import { event, job, jobs, log } from "../support/stores/sample-collections.ts";

export function describeStoredLists(store: () => DocumentStore): void {
	describePages(store);
	describeOutbox(store);
}

function describePages(store: () => DocumentStore): void {
	const fresh: Range = { equals: ["acme", "new"] };

	/** Thirty jobs, three for each moment, inserted in no order. */
	async function thirty(): Promise<string[]> {
		const ids = Array.from({ length: 30 }, (_, index) => `j${String(index).padStart(2, "0")}`);
		const shuffled = ids.toSorted((a, b) => ((Number(a.slice(1)) * 7) % 30) - ((Number(b.slice(1)) * 7) % 30));
		await Promise.all(shuffled.map((id) => store().insert(jobs, job(id, { made: momentOf(id), due_at: dueOf(id) }))));
		await store().insert(jobs, job("elsewhere", { tenant: "other", made: "m5" }));
		await store().insert(jobs, job("without"));
		return ids;
	}

	const dueOf = (id: string) => Math.floor(Number(id.slice(1)) / 3);
	const momentOf = (id: string) => `m${dueOf(id)}`;

	async function idsOf(
		index: "by_state" | "due" | "by_tenant",
		range: Range,
		page: Partial<Page> = {},
	): Promise<string[]> {
		const { documents } = await store().find(jobs, index, range, { limit: 100, ...page });
		return documents.map(({ id }) => id);
	}

	/** Reads all pages. */
	async function walk(
		range: Range,
		page: Omit<Page, "after"> & { maxBytes?: number; columns?: readonly [] },
		between = async () => {},
	): Promise<string[]> {
		const seen: string[] = [];
		for (let after: string | undefined, pages = 0; pages < 40; pages++) {
			const found = await store().find(jobs, "by_state", range, { ...page, ...(after !== undefined && { after }) });
			expect(found.documents.length).to.be.at.most(page.limit);
			seen.push(...found.documents.map(({ id }) => id));
			if (found.next === undefined) return seen;
			after = found.next;
			await between();
		}
		throw new Error("The pages do not end");
	}

	it("lists an index in its order, ties by id, both ways", async () => {
		const ids = await thirty();
		expect(await idsOf("by_state", fresh)).to.deep.equal(ids);
		expect(await idsOf("by_state", fresh, { descending: true })).to.deep.equal(ids.toReversed());
		expect(await idsOf("due", { equals: [] })).to.deep.equal(ids);
	});

	it("lists only the range", async () => {
		const ids = await thirty();
		expect(await idsOf("by_state", { ...fresh, from: "m8" })).to.deep.equal(ids.slice(24));
		expect(await idsOf("by_state", { ...fresh, from: "m2", to: "m3" })).to.deep.equal(ids.slice(6, 12));
		expect(await idsOf("due", { equals: [], to: 0 }, { descending: true })).to.deep.equal(["j02", "j01", "j00"]);
		expect(await idsOf("due", { equals: [4] })).to.deep.equal(["j12", "j13", "j14"]);
		expect(await idsOf("by_state", { equals: ["acme", "gone"] })).to.deep.equal([]);
	});

	it("leaves out documents that lack a column of the index, until they have it", async () => {
		await thirty();
		expect(await idsOf("by_state", fresh)).not.to.include("without");
		expect(await idsOf("by_tenant", { equals: ["acme"] })).to.include("without");
		await store().update(jobs, "without", {}, { set: { due_at: -1 } });
		expect(await idsOf("due", { equals: [] }, { limit: 1 })).to.deep.equal(["without"]);
		await store().update(jobs, "without", {}, { unset: ["due_at"] });
		expect(await idsOf("due", { equals: [] })).to.have.length(30);
	});

	for (const limit of [1, 2, 7, 29, 30, 31])
		it(`pages over ties without repeating or losing any, ${limit} at a time`, async () => {
			const ids = await thirty();
			expect(await walk(fresh, { limit, columns: [] })).to.deep.equal(ids);
			expect(await walk(fresh, { limit, descending: true })).to.deep.equal(ids.toReversed());
			expect(await walk({ ...fresh, from: "m1", to: "m8" }, { limit })).to.deep.equal(ids.slice(3, 27));
		});

	it("ends a page before its bytes, counted as they travel, and goes on from there (M2)", async () => {
		// Twenty quotes: 22 bytes of JSON text, 44 in a message, and the comma.
		const wire = JSON.stringify("'".repeat(20)).replaceAll("'", '\\"');
		const ids = ["a", "b", "c", "d", "e"];
		for (const id of ids) await store().insert(jobs, { ...job(id, { made: "m" }), wire });
		const each = Buffer.byteLength(JSON.stringify(wire)) + 1;
		for (const [maxBytes, size] of [
			[each * 2, 2],
			[each * 2 - 1, 1],
			[1, 1],
			[each * 5, 5],
		] as const) {
			for (const descending of [false, true]) {
				const page = { limit: 100, maxBytes, descending };
				const first = await store().find(jobs, "by_state", fresh, page);
				expect(first.documents, `${maxBytes}`).to.have.length(size);
				expect(first.next === undefined).to.equal(size === 5);
				expect(await walk(fresh, page)).to.deep.equal(descending ? ids.toReversed() : ids);
			}
		}
	});

	it("pages by id alone when every column is given", async () => {
		await thirty();
		const first = await store().find(jobs, "by_tenant", { equals: ["acme"] }, { limit: 30 });
		expect(first.documents.map(({ id }) => id)).to.deep.equal(
			await idsOf("by_tenant", { equals: ["acme"] }, { limit: 30 }),
		);
		const rest = { limit: 30, after: first.next ?? "" };
		expect(await idsOf("by_tenant", { equals: ["acme"] }, rest)).to.deep.equal(["without"]);
	});

	it("neither repeats nor loses old documents when others are inserted meanwhile", async () => {
		const ids = await thirty();
		for (const descending of [false, true]) {
			let count = 0;
			const seen = await walk(fresh, { limit: 4, descending }, async () => {
				count++;
				const inserts = ["m0", "m5", "m9"].map((made) => job(`${descending}${made}-${count}`, { made }));
				await Promise.all(inserts.map((document) => store().insert(jobs, document)));
			});
			const old = seen.filter((id) => ids.includes(id));
			expect(old).to.deep.equal(descending ? ids.toReversed() : ids);
			expect(new Set(seen).size).to.equal(seen.length);
		}
	});

	it("continues after a cursor whose document was removed", async () => {
		const ids = await thirty();
		const page = await store().find(jobs, "by_state", fresh, { limit: 10 });
		await store().remove(jobs, "j09", {});
		await store().remove(jobs, "j10", {});
		expect(await idsOf("by_state", fresh, { after: page.next ?? "" })).to.deep.equal(ids.slice(11));
	});

	it("tells the versions of a page in its order, and a change of one by its number", async () => {
		const ids = await thirty();
		const page = { limit: 7, descending: true, column: "due_at" } as const;
		const versions = async () => (await store().versions(jobs, "by_state", fresh, page)).split("\n");
		const before = ids
			.toReversed()
			.slice(0, 7)
			.map((id) => `${id}:${dueOf(id)}`);
		expect(await versions()).to.deep.equal(before);
		await store().update(jobs, "j28", {}, { set: { due_at: 77 } });
		expect(await versions()).to.deep.equal(before.with(1, "j28:77"));
		await store().update(jobs, "j28", {}, { unset: ["due_at"] });
		expect(await versions()).to.deep.equal(before.with(1, "j28:"));
	});

	it("tells the versions after a cursor, and an empty list when there are none", async () => {
		const ids = await thirty();
		const { next = "" } = await store().find(jobs, "by_state", fresh, { limit: 10 });
		const rest = await store().versions(jobs, "by_state", fresh, { limit: 3, after: next, column: "due_at" });
		expect(rest.split("\n").map((line) => line.split(":")[0])).to.deep.equal(ids.slice(10, 13));
		const nowhere: Range = { equals: ["acme", "gone"] };
		expect(await store().versions(jobs, "by_state", nowhere, { limit: 3, column: "due_at" })).to.equal("");
	});

	it("refuses a cursor of another list", async () => {
		const foreign = [
			"",
			"x",
			"%%%",
			"e30",
			encodeCursor({ value: 5, id: "a" }),
			Buffer.from("[1]").toString("base64url"),
		];
		for (const after of foreign)
			expect(await failureOf(store().find(jobs, "by_state", fresh, { limit: 1, after }))).to.be.instanceOf(RangeError);
	});

	it("refuses a range that does not fit the index", async () => {
		const ranges: Range[] = [
			{ equals: [] },
			{ equals: ["acme"] },
			{ equals: ["acme", "new", "m1", "x"] },
			{ equals: ["acme", "new", "m1"], from: "m" },
		];
		for (const range of ranges)
			expect(await failureOf(store().find(jobs, "by_state", range, { limit: 1 }))).to.be.instanceOf(TypeError);
		expect(await failureOf(store().count(jobs, "nowhere" as "due", { equals: [] }))).to.be.instanceOf(TypeError);
	});

	it("counts the documents of a list", async () => {
		await thirty();
		expect(await store().count(jobs, "by_state", fresh)).to.equal(30);
		expect(await store().count(jobs, "by_state", { ...fresh, from: "m2", to: "m3" })).to.equal(6);
		expect(await store().count(jobs, "by_tenant", { equals: ["acme"] })).to.equal(31);
		expect(await store().count(jobs, "due", { equals: [], to: -1 })).to.equal(0);
		expect(await store().count(log, "by_seq", { equals: [] })).to.equal(0);
	});

	it("orders text by its bytes, not by language", async () => {
		const texts = ["", "A", "B", "a", "b", "é", "😀"];
		await Promise.all(texts.toReversed().map((made, index) => store().insert(jobs, job(`t${index}`, { made }))));
		const { documents } = await store().find(jobs, "by_state", fresh, { limit: 10 });
		expect(documents.map(({ made }) => made)).to.deep.equal(texts);
	});
}

function describeOutbox(store: () => DocumentStore): void {
	it("keeps a document and its events in one write", async () => {
		await store().insert(jobs, job("a"), [event(1), event(2)]);
		await store().update(jobs, "a", { equals: { rev: 1 } }, { inc: { rev: 1 } }, [event(3)]);
		await store().update(jobs, "a", { equals: { rev: 1 } }, { inc: { rev: 1 } }, [event(4)]);
		await failureOf(store().insert(jobs, job("a"), [event(5)]));
		expect(await store().outbox(jobs, 10)).to.deep.equal([{ id: "a", entries: [event(1), event(2), event(3)] }]);
		expect(await store().get(jobs, "a")).to.deep.equal(job("a", { rev: 2 }));
	});

	it("refuses an event of more than 64 KB, names its largest member, and writes nothing (C1)", async () => {
		const told = (bytes: number): OutboxEntry => ({
			...event(1),
			data: JSON.stringify({ a: 1, b: "ä".repeat(bytes / 2) }),
		});
		await store().insert(jobs, job("a"), [told(65_000)]);
		await store().trimOutbox(jobs, "a", 1);
		const refusals = [
			await failureOf(store().insert(jobs, job("b"), [told(66_000)])),
			await failureOf(store().update(jobs, "a", {}, { set: { rev: 9 } }, [event(2), told(2_000_000)])),
		];
		for (const refusal of refusals) expect(refusal).to.include({ code: 422, type: "EVENT_TOO_LARGE" });
		expect(String(refusals[1])).to.include('"b" has 2000002 bytes as JSON, so that "job_updated" would have 2000014');
		expect(await store().get(jobs, "b")).to.equal(undefined);
		expect(await store().get(jobs, "a")).to.deep.equal(job("a"));
		expect(await store().isWaiting(jobs, "a")).to.equal(false);
	});

	it("names the longest waiting documents first", async () => {
		await store().insert(jobs, job("late"), [event(1, 300)]);
		await store().insert(jobs, job("early"), [event(1, 100)]);
		await store().insert(jobs, job("early-too"), [event(1, 100)]);
		await store().insert(jobs, job("silent"));
		await store().update(jobs, "late", {}, {}, [event(2, 350)]);
		await store().update(jobs, "early", {}, {}, [event(2, 400)]);
		const order = async (limit: number) => (await store().outbox(jobs, limit)).map(({ id }) => id);
		expect(await order(10)).to.deep.equal(["early", "early-too", "late"]);
		expect(await order(2)).to.deep.equal(["early", "early-too"]);
		await store().trimOutbox(jobs, "early", 1);
		expect(await order(10)).to.deep.equal(["early-too", "late", "early"]);
	});

	it("removes events up to a number, and no later ones", async () => {
		await store().insert(jobs, job("a"), [event(1), event(2)]);
		await store().update(jobs, "a", {}, {}, [event(3)]);
		await store().trimOutbox(jobs, "a", 2);
		await store().trimOutbox(jobs, "a", 1);
		expect(await store().outbox(jobs, 10)).to.deep.equal([{ id: "a", entries: [event(3)] }]);
		await store().trimOutbox(jobs, "a", 3);
		await store().trimOutbox(jobs, "a", 3);
		await store().trimOutbox(jobs, "unknown", 3);
		expect(await store().outbox(jobs, 10)).to.deep.equal([]);
		await store().update(jobs, "a", {}, {}, [event(4)]);
		expect(await store().outbox(jobs, 10)).to.deep.equal([{ id: "a", entries: [event(4)] }]);
		expect(await store().get(jobs, "a")).to.deep.equal(job("a"));
	});

	it("says whether events of a document wait", async () => {
		await store().insert(jobs, job("a"), [event(1, -5), event(2)]);
		await store().insert(jobs, job("silent"));
		const waiting = () => Promise.all(["a", "silent", "unknown"].map((id) => store().isWaiting(jobs, id)));
		expect(await waiting()).to.deep.equal([true, false, false]);
		await store().trimOutbox(jobs, "a", 1);
		expect(await store().isWaiting(jobs, "a")).to.equal(true);
		await store().trimOutbox(jobs, "a", 2);
		expect(await waiting()).to.deep.equal([false, false, false]);
	});

	it("loses no event between writers and two relays", async () => {
		const total = 60;
		await store().insert(jobs, job("a", { rev: 0 }));
		const taken = new Set<number>();
		async function write(): Promise<void> {
			for (let n = 1; n <= total; n++)
				await store().update(jobs, "a", { equals: { rev: n - 1 } }, { inc: { rev: 1 } }, [event(n)]);
		}
		async function relay(): Promise<void> {
			while (taken.size < total) {
				const [document] = await store().outbox(jobs, 1);
				for (const { n } of document?.entries ?? []) taken.add(n);
				const last = document?.entries.at(-1);
				if (last) await store().trimOutbox(jobs, "a", last.n);
				else await nextTurn();
			}
		}
		await Promise.all([write(), relay(), relay()]);
		expect(taken.size).to.equal(total);
		expect(await store().outbox(jobs, 1)).to.deep.equal([]);
	});
}
