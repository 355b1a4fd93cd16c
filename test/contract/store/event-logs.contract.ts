/**
 * The suite of the two logs on every document store, whoever fills them: each change by a person has its events and its audit
 * entry once and in order, and what did not happen has none.
 */
import { expect } from "chai";
import { type Actor, actingAs } from "#shared/base/actor.ts";
import { type Collection, defineCollection } from "#shared/store/collection.ts";
import { DuplicateKeyError, type OutboxEntry } from "#shared/store/port/documents.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { entryKey } from "#shared/store/event-log/event-log.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { logCollections, LoggedStore } from "../../support/stores/logged-store.ts";
import { logsOn } from "../../support/stores/logs-on.ts";
import type { StoreUnderTest } from "../document-store.contract.ts";

const things = defineCollection(
	"things",
	{ rev: "integer", key: "text" },
	{ by_key: { columns: ["key"], unique: true } },
	{ hasOutbox: true, audited: ["name"] },
);
const audience = { tenant: "t", owner: "o" };

export function person(id: string, tenant = "t"): Actor {
	return { principal: { kind: "user", id, tenant, roles: [] }, action: "things.change", isRead: false };
}

function event(id: string, n: number): OutboxEntry {
	return { n, type: "thing_updated", data: JSON.stringify({ id, n }), audience, at: n };
}

const wire = (name: string) => JSON.stringify({ name });

/** @param open Opens an empty store with these collections. */
export function describeEventLogs(
	engine: string,
	open: (collections: readonly Collection[]) => Promise<StoreUnderTest>,
): void {
	describe(`the logs of changes on ${engine}`, () => {
		let opened: StoreUnderTest;
		let logged: LoggedStore;
		let store: DocumentStore;

		beforeEach(async () => {
			opened = await open([things, ...logCollections]);
			logged = await LoggedStore.on(opened.store, [things]);
			({ store } = logged);
		});
		afterEach(async () => {
			await logged[Symbol.asyncDispose]();
			await opened.discard();
		});

		const insert = (id: string, name = "one") => store.insert(things, { id, wire: wire(name), rev: 1 }, [event(id, 1)]);
		const update = (id: string, rev: number, guard = {}) =>
			store.update(things, id, guard, { wire: wire(`name ${rev}`), set: { rev } }, [event(id, rev)]);

		/** Returns `<id>:<n>` of each event in the log's order. */
		async function told(): Promise<string[]> {
			return (await logged.entries()).map(({ data }) => {
				const { id, n }: { id: string; n: number } = JSON.parse(data);
				return `${id}:${n}`;
			});
		}

		it("have every change of many writers once, and those of a document in order", async () => {
			const ids = Array.from({ length: 12 }, (_, index) => `thing-${index}`);
			const change = async (id: string) => {
				await insert(id);
				for (let rev = 2; rev <= 6; rev++) await update(id, rev);
			};
			await Promise.all(ids.map((id) => actingAs(person(id), () => change(id))));
			await eventually(async () => (await logged.events.head()).seq === 72, { withinMs: 20_000 });
			await eventually(async () => (await logged.audited("t")).length === 72, { withinMs: 20_000 });
			const entries = await logged.entries();
			expect(entries.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 72 }, (_, index) => index + 1));
			const audited = await logged.audited("t");
			const order = await told();
			for (const id of ids) {
				const own = (numbers: number[]) => numbers.map((n) => `${id}:${n}`);
				expect(order.filter((name) => name.startsWith(`${id}:`))).to.deep.equal(own([1, 2, 3, 4, 5, 6]));
				const names = audited.filter(({ actor }) => actor.id === id).map(({ changed }) => changed?.["name"]);
				expect(names).to.deep.equal(["one", ...[2, 3, 4, 5, 6].map((rev) => `name ${rev}`)]);
			}
			expect((await logged.verified("t")).faults).to.deep.equal([]);
		});

		it("have nothing of a change whose guard does not hold, and nothing of a document that was there before", async () => {
			await actingAs(person("alice"), async () => {
				await insert("a");
				expect(await update("a", 2, { equals: { rev: 7 } })).to.equal(undefined);
				expect(await update("missing", 2)).to.equal(undefined);
				expect(await failureOf(insert("a", "again"))).to.be.an.instanceOf(DuplicateKeyError);
				await store.update(things, "a", {}, { set: { key: "k", rev: 3 } }, [event("a", 3)]);
				const clash = store.insert(things, { id: "b", wire: wire("b"), rev: 1, key: "k" }, [event("b", 1)]);
				expect(await failureOf(clash)).to.be.an.instanceOf(DuplicateKeyError);
				await insert("c");
			});
			await eventually(async () => (await logged.events.head()).seq === 3);
			await eventually(async () => (await logged.audited("t")).length === 3);
			await logged.settled();
			// The order of different documents is that of the store.
			expect((await told()).toSorted()).to.deep.equal(["a:1", "a:3", "c:1"]);
			expect(await logged.audited("t")).to.have.length(3);
			expect((await logged.verified("t")).faults).to.deep.equal([]);
		});

		it("have the events of the platform without audit entries, and both in the chains of their own tenants", async () => {
			await insert("a");
			await actingAs(person("alice"), () => insert("b"));
			await actingAs(person("bob", "u"), () => update("b", 2));
			await eventually(async () => (await logged.audited("u")).length === 1);
			await eventually(async () => (await logged.events.head()).seq === 3);
			expect((await logged.audited("t")).map(({ seq, resource }) => [seq, resource])).to.deep.equal([[1, "things/b"]]);
			expect((await logged.audited("u")).map(({ seq, resource }) => [seq, resource])).to.deep.equal([[1, "things/b"]]);
		});

		it("are announced when they can be read", async () => {
			let seen = 0;
			logged.relay.onMoved((seq) => {
				void logged.events.read(seq - 1, 1).then(([entry]) => (seen = Math.max(seen, entry?.seq ?? 0)));
			});
			await insert("a");
			await update("a", 2);
			await eventually(() => seen === 2);
			expect(logged.hints.at(-1)).to.equal(2);
		});

		it("are signed for each tenant whose chain has grown", async () => {
			await actingAs(person("alice"), () => insert("a"));
			await actingAs(person("bob", "u"), () => insert("b"));
			await eventually(async () => (await logged.audited("t")).length + (await logged.audited("u")).length === 2);
			await logged.settled();
			await logged.audit.checkpointAll();
			expect(await logged.verified("t")).to.deep.include({ signedUpTo: 1, faults: [] });
			expect(await logged.verified("u")).to.deep.include({ signedUpTo: 1, faults: [] });
			await actingAs(person("alice"), () => update("a", 2));
			await eventually(async () => (await logged.audited("t")).length === 2);
			await logged.settled();
			await logged.audit.checkpointAll();
			expect(await logged.verified("t")).to.deep.include({ signedUpTo: 2, faults: [] });
		});

		it("have notes, changes and removals of one moment in one chain", async () => {
			const note = () => logged.store.note(person("alice"), { outcome: "read", resource: "things/x" });
			await actingAs(person("alice"), async () => {
				await insert("removed");
				const ids = Array.from({ length: 30 }, (_, index) => `thing-${index}`);
				await Promise.all([...ids.flatMap((id) => [insert(id), note()]), logged.store.remove(things, "removed", {})]);
			});
			await eventually(async () => (await logged.audited("t")).length === 62, { withinMs: 20_000 });
			expect(await store.get(things, "removed")).to.equal(undefined);
			const own = (await logged.audited("t")).filter(({ resource }) => resource === "things/removed");
			expect(own.map(({ outcome }) => outcome)).to.deep.equal(["done", "begun"]);
			expect((await logged.verified("t")).faults).to.deep.equal([]);
		});

		it("go on behind entries of a gap that was filled, and behind a chain whose entries were all removed", async () => {
			await actingAs(person("alice"), () => insert("a"));
			await eventually(async () => (await logged.audited("t")).length === 1);
			await logged.settled();
			await logged.events.append([{ key: "restored", entry: event("restored", 1) }]);
			await logged.audit.checkpoint("t");
			await logged.audit.trim(-1);
			expect(await logged.audited("t")).to.deep.equal([]);
			// Another process, which knows nothing yet.
			await logged[Symbol.asyncDispose]();
			logged = await LoggedStore.on(opened.store, [things]);
			({ store } = logged);
			await actingAs(person("alice"), () => update("a", 2));
			await eventually(async () => (await logged.audited("t")).length === 1);
			await eventually(async () => (await logged.events.head()).seq === 3);
			expect(await told()).to.deep.equal(["a:1", "restored:1", "a:2"]);
			expect((await logged.audited("t")).map(({ seq }) => seq)).to.deep.equal([2]);
			expect((await logged.verified("t")).faults).to.deep.equal([]);
		});
	});

	describe(`events that wait in outboxes on ${engine}`, () => {
		it("are moved before later ones, under their old keys, and those in the log already are not doubled", async () => {
			const subject = await open([things, ...logCollections]);
			const { store } = subject;
			try {
				// The release before has moved the first event and died before it emptied the outbox.
				const ids = Array.from({ length: 120 }, (_, index) => `t${String(index).padStart(3, "0")}`);
				for (const id of ids) await store.insert(things, { id, wire: "{}", rev: 2 }, [event(id, 1), event(id, 2)]);
				const before = logsOn(store);
				await before.events.append([{ key: entryKey(things, "t000", 1), entry: event("t000", 1) }]);
				await using logged = await LoggedStore.on(store, [things]);
				await logged.store.update(things, "t000", {}, { set: { rev: 3 } }, [event("t000", 3)]);
				await eventually(async () => (await logged.events.head()).seq === 241);
				const numbers = new Map<string, number[]>();
				for (const { data } of await logged.entries()) {
					const { id, n }: { id: string; n: number } = JSON.parse(data);
					numbers.set(id, [...(numbers.get(id) ?? []), n]);
				}
				expect(numbers.get("t000")).to.deep.equal([1, 2, 3]);
				for (const id of ids.slice(1)) expect(numbers.get(id), id).to.deep.equal([1, 2]);
				expect(await logged.events.seqOf(entryKey(things, "t007", 2))).to.be.a("number");
				await eventually(async () => (await store.outbox(things, 1)).length === 0);
			} finally {
				await subject.discard();
			}
		});
	});
}
