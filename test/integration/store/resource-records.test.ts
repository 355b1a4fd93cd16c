/** The repository of resources on both stores, with a kind of its own. */
import { expect } from "chai";
import type { Owner } from "#shared/base/principal.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import { defineCollection } from "#shared/store/collection.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { removeAll, removeFirst } from "#shared/store/remove-first.ts";
import { ownedColumns } from "#shared/store/resource-kind.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { failureOf } from "../../support/failure-of.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

const notes = defineCollection(
	"notes",
	{ ...ownedColumns, title: "text", n: "integer" },
	{
		by_owner: { columns: ["tenant", "owner", "n"] },
		by_title: { columns: ["tenant", "title"], unique: true },
		by_n: { columns: ["n"] },
	},
	{ hasOutbox: true },
);
const alice = { tenant: "acme", id: "alice" };
const bob = { tenant: "acme", id: "bob" };
const stranger = { tenant: "other", id: "alice" };

for (const [engine, open] of Object.entries(storeEngines([notes])))
	describe(`resources on ${engine}`, () => {
		let opened: StoreUnderTest;
		let records: ResourcesIn<typeof notes>;
		let writes: number;

		beforeEach(async () => {
			opened = await open();
			writes = 0;
			records = new ResourceRecords(opened.store, {
				collection: notes,
				noun: "Note",
				// The tenant reads a note, its owner changes it, and nobody but the owner may delete it.
				isAllowed: ({ tenant, id }: Owner, action, note) =>
					note.tenant === tenant && (action === "see" || note.owner === id),
				refusals: { change: "Only its owner may change a note" },
				quota: { index: "by_owner", most: 3, refusal: () => new ConflictError("Too many notes", "TOO_MANY") },
				taken: ({ title = "" }) => new ConflictError(`There is a note "${title}"`, "TAKEN"),
				written: () => writes++,
			});
		});
		afterEach(() => opened.discard());

		const create = async (owner: Owner, title: string, key?: string) =>
			(
				await records.create(owner, { request: { title }, key }, (id, at) => ({
					wire: JSON.stringify({ id, title }),
					set: { title, n: at },
				}))
			).document;

		const stored = () => opened.store.count(notes, "by_n", { equals: [] });

		it("are created once by a key, which belongs to one person and one request", async () => {
			const [one, again] = await Promise.all([create(alice, "a", "k"), create(alice, "a", "k")]);
			expect(one).to.deep.equal(again);
			expect((await create(bob, "b", "k")).id).not.to.equal(one.id);
			expect(await failureOf(create(alice, "c", "k"))).to.include({ code: 422, type: "IDEMPOTENCY_KEY_REUSED" });
			expect(await failureOf(create(bob, "a"))).to.include({ code: 409, type: "TAKEN" });
			expect([await stored(), writes]).to.deep.equal([2, 2]);
		});

		it("keep their quota, also when many are created at once, and a repetition is none too many", async () => {
			const first = await create(alice, "0", "k");
			const all = await Promise.allSettled(["a", "b", "c", "d", "e", "f"].map((title) => create(alice, title)));
			const kept = all.filter(({ status }) => status === "fulfilled").length;
			expect(kept).to.be.at.most(2);
			expect(await stored()).to.equal(kept + 1);
			for (const title of ["y", "z"].slice(kept)) await create(alice, title);
			expect(await failureOf(create(alice, "more"))).to.include({ code: 409, type: "TOO_MANY" });
			expect(await create(alice, "0", "k")).to.deep.equal(first);
		});

		it("exist for those who may see them, and refuse others by what they know", async () => {
			const { id } = await create(alice, "a");
			const change = (who: Owner) =>
				records.change(
					() => records.get(who, id, "change"),
					() => ({ wire: "{}" }),
				);
			expect(await failureOf(change(stranger))).to.include({ code: 404, type: "NOTE_NOT_FOUND" });
			expect(await failureOf(change(bob))).to.include({ code: 403, type: "NOTE_OF_ANOTHER" });
			// There is no sentence for a refused deletion, so nothing is said.
			expect(await failureOf(records.delete(bob, id))).to.include({
				code: 404,
				message: `Note "${id}" does not exist`,
			});
			expect(await records.find(stranger, id)).to.equal(undefined);
			await records.delete(alice, id);
			expect(await stored()).to.equal(0);
		});

		it("keep every member of concurrent changes, and have one event for each revision", async () => {
			const { id } = await create(alice, "a");
			const members = ["b", "c", "d", "e"];
			const at = Date.now();
			await Promise.all(
				members.map((member) =>
					records.changeOf(id, ({ wire }) => ({
						wire: JSON.stringify({ ...JSON.parse(wire), [member]: 1 }),
						event: { type: "note_changed", data: "{}", at },
					})),
				),
			);
			const { wire = "{}", rev = 0 } = (await records.stored(id)) ?? {};
			expect(Object.keys(JSON.parse(wire))).to.have.members(["id", "title", ...members]);
			const waiting = (await opened.store.outbox(notes, 10)).flatMap(({ entries }) => entries);
			const numbers = [3, 2, 1, 0].map((before) => rev - before);
			expect(waiting.map(({ n }) => n)).to.deep.equal(numbers);
			expect(waiting[0]?.audience).to.deep.equal({ tenant: "acme", owner: "alice" });
			const same = await records.changeOf(id, () => undefined);
			expect(same?.rev, "nothing is written without a decision").to.equal(rev);
			expect(
				await failureOf(
					create(alice, "f").then(({ id: other }) => records.changeOf(other, () => ({ set: { title: "a" } }))),
				),
			).to.include({ type: "TAKEN" });
		});

		it("are put under an id: inserted or changed", async () => {
			const add = () => records.put("x", (former) => ({ wire: "{}", set: { n: (former?.n ?? 0) + 1 } }));
			await Promise.all([add(), add(), add()]);
			expect(await records.stored("x")).to.include({ n: 3, rev: 3 });
			await records.put("x", () => undefined);
			expect(await records.stored("x")).to.include({ rev: 3 });
		});

		it("are listed page by page with a tag, and removed from the first one on", async () => {
			for (const n of [1, 2, 3, 4, 5])
				await records.insert({ id: `${n}`, wire: `${n}`, tenant: "acme", owner: "alice", title: `${n}`, n, rev: 1 });
			const list = { index: "by_owner", equals: ["acme", "alice"] } as const;
			const page = await records.list(list, { limit: 2 });
			expect(textOf(page.items)).to.equal("[5,4]");
			expect(textOf((await records.list(list, { limit: 9, cursor: page.next })).items)).to.equal("[3,2,1]");
			expect((await records.list(list, { limit: 2, known: page.etag })).unchanged).to.equal(true);
			expect(await failureOf(records.list(list, { limit: 2, cursor: "x" }))).to.include({ code: 400 });
			expect((await records.first({ ...list, descending: false }))?.n).to.equal(1);
			const read: number[] = [];
			for await (const some of readPages(opened.store, notes, "by_n", { equals: [], from: 2, limit: 2, pages: 2 }))
				read.push(...some.map(({ n = 0 }) => n));
			expect(read, "no more pages than were wanted").to.deep.equal([2, 3, 4, 5]);
			expect(await removeFirst(opened.store, notes, "by_n", { equals: [], limit: 2 })).to.equal(2);
			expect((await records.first({ ...list, descending: false }))?.n).to.equal(3);
			await removeAll(opened.store, notes, "by_n", { equals: [], to: 4 });
			expect(await stored()).to.equal(1);
		});
	});
