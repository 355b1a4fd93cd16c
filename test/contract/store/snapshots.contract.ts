/** The suite for snapshots that every document store must pass. */
import { expect } from "chai";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreSnapshot } from "#shared/store/port/lifecycle.ts";
import type { Collection, Columns } from "#shared/store/collection.ts";
import { event, job, jobs, log, note, notes } from "../../support/stores/sample-collections.ts";

async function all<C extends Columns>(snapshot: StoreSnapshot, collection: Collection<C>) {
	return Array.fromAsync(snapshot.documents(collection));
}

export function describeSnapshots(store: () => DocumentStore): void {
	it("shows every document with its waiting events, in the order of the ids' bytes", async () => {
		const ids = ["b", "a", "😀", "\uffee", "Z", "a\u0000", "aa", ""];
		for (const id of ids)
			await store().insert(jobs, job(id, { notes: [1, { n: 2 }], due_at: -1 }), [event(1), event(2)]);
		await store().trimOutbox(jobs, "aa", 2);
		await store().insert(notes, note("n", { title: "title", body: "body" }));
		const snapshot = await store().snapshot();
		const found = await all(snapshot, jobs);
		const inOrder = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
		expect(found.map(({ document }) => document.id)).to.deep.equal(inOrder);
		for (const { document, events } of found) {
			expect(document).to.deep.equal(job(document.id, { notes: [1, { n: 2 }], due_at: -1 }));
			expect(events).to.deep.equal(document.id === "aa" ? [] : [event(1), event(2)]);
		}
		expect((await all(snapshot, notes)).map(({ document }) => document)).to.deep.equal([
			note("n", { title: "title", body: "body" }),
		]);
		expect(await all(snapshot, log)).to.deep.equal([]);
		await snapshot.close();
	});

	it("shows nothing that is written later, and all that was acknowledged before", async () => {
		for (let n = 0; n < 20; n++) await store().insert(jobs, job(`j${n}`));
		const before = Date.now();
		const snapshot = await store().snapshot();
		expect(snapshot.since).to.be.within(before, Date.now());
		await store().update(jobs, "j1", {}, { set: { state: "late" } });
		await store().remove(jobs, "j2", {});
		await store().insert(jobs, job("late"));
		await store().insert(log, { id: "late", wire: "{}", seq: 1 });
		const found = await all(snapshot, jobs);
		expect(found).to.have.length(20);
		expect(new Set(found.map(({ document }) => document.state))).to.deep.equal(new Set(["new"]));
		expect(await all(snapshot, log)).to.deep.equal([]);
		await snapshot.close();
		expect((await store().get(jobs, "j1"))?.state).to.equal("late");
	});

	it("shows more documents than one answer holds, and can be left in the middle", async () => {
		for (let at = 0; at < 1_200; at += 400) {
			const batch = Array.from({ length: 400 }, (_, n) => ({ id: `l${String(at + n).padStart(4, "0")}`, wire: "{}" }));
			await store().append(
				log,
				batch.map((row, n) => ({ ...row, seq: at + n })),
			);
		}
		const snapshot = await store().snapshot();
		expect((await all(snapshot, log)).map(({ document }) => document.seq)).to.deep.equal(
			Array.from({ length: 1_200 }, (_, n) => n),
		);
		for await (const { document } of snapshot.documents(log)) if (document.seq === 3) break;
		await snapshot.close();
		const other = await store().snapshot();
		expect(await all(other, log)).to.have.length(1_200);
		await other.close();
	});
}
