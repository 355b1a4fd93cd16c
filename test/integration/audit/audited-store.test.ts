/** Changes by persons are in the audit log exactly once, in one chain, on both stores, although relays race. */
import { expect } from "chai";
import { type Actor, actingAs } from "#shared/base/actor.ts";
import type { ChainedEntry } from "#shared/store/audit/audit-chain.ts";
import { auditCheckpointCollection, auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import { type AuditedStore, auditedStore } from "#shared/store/audit/audited-store.ts";
import { verifyAudit } from "#shared/store/audit/audit-verification.ts";
import { eventLogCollection, eventLogNameCollection } from "#shared/store/event-log/event-log-collection.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import { defineCollection } from "#shared/store/collection.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { eventually } from "../../support/eventually.ts";
import { stopClock } from "../../support/machine/stopped-clock.ts";
import { logsOn } from "../../support/stores/logs-on.ts";
import { openEmbedded, openOnEndpoint } from "../../support/stores/open-stores.ts";

const things = defineCollection("things", { rev: "integer" }, {}, { audited: ["name"] });
/** Documents of the tenant that their id names, which people of other tenants change too. */
const rooms = defineCollection("rooms", { rev: "integer" }, {}, { audited: ["name"], tenantOf: (id) => id });
const collections = [
	things,
	rooms,
	auditLogCollection,
	auditCheckpointCollection,
	eventLogCollection,
	eventLogNameCollection,
];

function actor(id: string, isRead = false): Actor {
	return {
		principal: { kind: "user", id, tenant: "t", roles: [] },
		action: "things.change",
		isRead,
		request_id: "r1",
		address: "127.0.0.1",
	};
}

for (const [name, open] of [
	["the embedded store", openEmbedded],
	["MongoDB's protocol", openOnEndpoint],
] as const) {
	describe(`audited store on ${name}`, () => {
		let opened: StoreUnderTest;
		let store: AuditedStore;

		beforeEach(async () => {
			opened = await open(collections);
			store = auditedStore(opened.store, logsOn(opened.store).audit, () => {});
		});
		afterEach(() => opened.discard());

		const wire = (text: string, secret: string) => JSON.stringify({ name: text, secret });

		function relay(): OutboxRelay {
			return new OutboxRelay(opened.store, logsOn(opened.store), [things, rooms], () => {});
		}

		async function entries(): Promise<ChainedEntry[]> {
			const texts = await logsOn(opened.store).audit.entries("t", 0, 500);
			return texts.map((text): ChainedEntry => JSON.parse(text));
		}

		async function expectWhole(): Promise<void> {
			const { audit } = logsOn(opened.store);
			await audit.checkpoint("t");
			const checkpoints = (await audit.checkpoints("t", 0, 100)).map((text) => JSON.parse(text));
			const log = { publicKey: audit.publicKey, checkpoints, entries: await entries() };
			expect(verifyAudit(log).faults).to.deep.equal([]);
		}

		it("enters what somebody of another tenant changes in the log of the object's tenant, too (Q14)", async () => {
			const moving = relay();
			moving.start();
			const outcomes = async (tenant: string) => {
				const texts = await logsOn(opened.store).audit.entries(tenant, 0, 500);
				return texts.map((text): ChainedEntry => JSON.parse(text)).map(({ actor: { id }, outcome }) => [id, outcome]);
			};
			try {
				await actingAs(actor("root"), async () => {
					await store.insert(rooms, { id: "acme", wire: wire("one", "hidden"), rev: 1 });
					await store.update(rooms, "acme", {}, { wire: wire("two", "hidden"), set: { rev: 2 } });
				});
				await eventually(async () => (await outcomes("acme")).length === 2, { withinMs: 15_000 });
				await actingAs(actor("root"), () => store.remove(rooms, "acme", {}));
				await actingAs(actor("root"), () => store.insert(rooms, { id: "t", wire: wire("own", "hidden"), rev: 1 }));
				await eventually(async () => (await outcomes("t")).length === 4, { withinMs: 15_000 });
			} finally {
				await moving.stop();
			}
			const done = ["root", "done"];
			expect(await outcomes("acme")).to.deep.equal([done, done, ["root", "begun"]]);
			expect(await outcomes("t"), "once in a log of both").to.deep.equal([done, done, ["root", "begun"], done]);
			await expectWhole();
		});

		it("enters every change once, in order, although three relays race", async () => {
			const ids = Array.from({ length: 20 }, (_, index) => `thing-${index}`);
			const relays = [relay(), relay(), relay()];
			for (const one of relays) one.start();
			try {
				await Promise.all(
					ids.map((id) =>
						actingAs(actor(id), async () => {
							await store.insert(things, { id, wire: wire("one", "hidden"), rev: 1 });
							await store.update(things, id, { equals: { rev: 1 } }, { wire: wire("two", "hidden"), set: { rev: 2 } });
						}),
					),
				);
				await eventually(async () => (await entries()).length === 40, { withinMs: 20_000 });
			} finally {
				await Promise.all(relays.map((one) => one.stop()));
			}
			const log = await entries();
			for (const id of ids) {
				const own = log.filter(({ resource }) => resource === `things/${id}`);
				expect(own.map(({ changed }) => changed)).to.deep.equal([{ name: "one" }, { name: "two" }]);
				expect(own[0]).to.deep.include({ actor: { kind: "user", id }, action: "things.change", outcome: "done" });
			}
			expect(JSON.stringify(log)).not.to.include("hidden");
			await expectWhole();
		});

		it("enters a change in the same write: it is there although its process died before the relay ran", async () => {
			await actingAs(actor("a"), () => store.insert(things, { id: "x", wire: wire("one", ""), rev: 1 }));
			expect(await entries()).to.deep.equal([]);
			const late = relay();
			late.start();
			await eventually(async () => (await entries()).length === 1);
			await late.stop();
			expect(await opened.store.isWaiting(things, "x")).to.equal(false);
		});

		it("enters the changes of many documents in one go, and not a hundred with each poll", async () => {
			const ids = Array.from({ length: 250 }, (_, index) => `thing-${index}`);
			const insert = (id: string) => store.insert(things, { id, wire: wire("one", ""), rev: 1 });
			await actingAs(actor("a"), () => Promise.all(ids.map(insert)));
			const late = relay();
			late.start();
			await late.settled();
			expect(await entries()).to.have.length(250);
			await late.stop();
		});

		it("enters no change of the platform, none that lost its race, and none of hidden columns", async () => {
			await store.insert(things, { id: "x", wire: wire("one", ""), rev: 1 });
			await actingAs(actor("a"), async () => {
				const change = { wire: wire("two", ""), set: { rev: 9 } };
				expect(await store.update(things, "x", { equals: { rev: 8 } }, change)).to.equal(undefined);
				await store.update(things, "x", {}, { wire: wire("three", "") });
			});
			expect(await opened.store.isWaiting(things, "x")).to.equal(false);
		});

		it("enters a removal before it, and a read of something of others once a minute", async () => {
			await store.insert(things, { id: "x", wire: wire("one", ""), rev: 1 });
			await actingAs(actor("a"), () => store.remove(things, "x", {}));
			expect((await entries()).map(({ outcome, resource }) => [outcome, resource])).to.deep.equal([
				["begun", "things/x"],
			]);
			using clock = stopClock();
			const read = () => actingAs(actor("a", true), () => store.noteRead("things/y"));
			await read();
			await read();
			expect(await entries()).to.have.length(2);
			clock.advance(60_000);
			await read();
			expect(await entries()).to.have.length(3);
			await actingAs(actor("a"), () => store.noteRead("things/z"));
			expect(await entries(), "a read for a change").to.have.length(3);
			await expectWhole();
		});

		it("removes a document only when its entries are in the log", async () => {
			const own = relay();
			store = auditedStore(opened.store, logsOn(opened.store).audit, () => own.wakeAll());
			await actingAs(actor("a"), async () => {
				await store.insert(things, { id: "x", wire: wire("one", ""), rev: 1 });
				await store.remove(things, "x", {});
			});
			await own.stop();
			expect((await entries()).map(({ outcome }) => outcome)).to.deep.equal(["done", "begun"]);
		});

		it("removes old entries, and the rest can be verified", async () => {
			using clock = stopClock();
			const { audit } = logsOn(opened.store);
			const note = (resource: string) => store.note(actor("a"), { outcome: "read", resource });
			await note("things/1");
			await note("things/2");
			clock.advance(2 * 86_400_000);
			await note("things/3");
			await audit.trim(1);
			expect((await entries()).map(({ seq }) => seq)).to.deep.equal([3]);
			await expectWhole();
			clock.advance(2 * 86_400_000);
			await logsOn(opened.store).audit.trim(1);
			expect(await entries()).to.deep.equal([]);
			await auditedStore(opened.store, logsOn(opened.store).audit, () => {}).note(actor("a"), { outcome: "read" });
			expect(
				(await entries()).map(({ seq }) => seq),
				"the numbers go on",
			).to.deep.equal([4]);
			await expectWhole();
		});
	});
}
