/** Attacks that once made entries of the audit log disappear, or its verification fail, on both stores. */
import { expect } from "chai";
import { type Actor, actingAs } from "#shared/base/actor.ts";
import type { ChainedEntry } from "#shared/store/audit/audit-chain.ts";
import { auditCheckpointCollection, auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import type { AuditLog } from "#shared/store/audit/audit-log.ts";
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
const collections = [things, auditLogCollection, auditCheckpointCollection, eventLogCollection, eventLogNameCollection];
const alice: Actor = {
	principal: { kind: "user", id: "alice", tenant: "t", roles: [] },
	action: "things.change",
	isRead: false,
};
const wire = (name: string) => JSON.stringify({ name });

for (const [name, open] of [
	["the embedded store", openEmbedded],
	["MongoDB's protocol", openOnEndpoint],
] as const) {
	describe(`losses of the audit log on ${name}`, () => {
		let opened: StoreUnderTest;
		let audit: AuditLog;
		let relay: OutboxRelay;
		let store: AuditedStore;

		beforeEach(async () => {
			opened = await open(collections);
			const logs = logsOn(opened.store);
			audit = logs.audit;
			relay = new OutboxRelay(opened.store, logs, [things], () => {});
			store = auditedStore(opened.store, audit, () => relay.wakeAll());
		});
		afterEach(async () => {
			await relay.stop();
			await opened.discard();
		});

		async function entries(): Promise<ChainedEntry[]> {
			return (await audit.entries("t", 0, 500)).map((text): ChainedEntry => JSON.parse(text));
		}

		/** Returns the outcomes, and the names after each change. */
		async function shown(): Promise<unknown[]> {
			return (await entries()).map(({ outcome, changed }) => changed?.["name"] ?? outcome);
		}

		const note = () => store.note(alice, { outcome: "read", resource: "things/x" });

		it("enters the changes of a document that has the id of a removed one", async () => {
			await actingAs(alice, async () => {
				await store.insert(things, { id: "x", wire: wire("one"), rev: 1 });
				await store.remove(things, "x", {});
				await store.insert(things, { id: "x", wire: wire("two"), rev: 1 });
				await store.update(things, "x", {}, { wire: wire("three"), set: { rev: 2 } });
			});
			relay.wakeAll();
			await eventually(async () => !(await opened.store.isWaiting(things, "x")));
			expect(await shown()).to.deep.equal(["one", "begun", "two", "three"]);
		});

		it("enters a change that comes between a removal's look into the outbox and the removal", async () => {
			await store.insert(things, { id: "x", wire: wire("one"), rev: 1 });
			const look = opened.store.isWaiting.bind(opened.store);
			let changes = 0;
			opened.store.isWaiting = async (...args) => {
				const isWaiting = await look(...args);
				if (changes++ === 0)
					await actingAs(alice, () =>
						store.update(things, "x", { equals: { rev: 1 } }, { wire: wire("two"), set: { rev: 2 } }),
					);
				return isWaiting;
			};
			expect(await actingAs(alice, () => store.remove(things, "x", {}))).to.equal(true);
			expect(await opened.store.get(things, "x")).to.equal(undefined);
			expect(await shown()).to.have.members(["two", "begun"]);
		});

		it("removes nothing that breaks the caller's guard", async () => {
			await store.insert(things, { id: "x", wire: wire("one"), rev: 2 });
			expect(await store.remove(things, "x", { equals: { rev: 1 } })).to.equal(false);
			expect(await store.remove(things, "y", {})).to.equal(false);
			expect(await opened.store.get(things, "x")).to.include({ rev: 2 });
		});

		it("enters everything that happens in a tenant at the same moment", async () => {
			const count = 120;
			const outcomes = await Promise.allSettled(Array.from({ length: count }, note));
			expect(outcomes.filter(({ status }) => status === "rejected")).to.deep.equal([]);
			expect((await entries()).map(({ seq }) => seq)).to.deep.equal(Array.from({ length: count }, (_, at) => at + 1));
		});

		it("goes on after entries that could not be written", async () => {
			const append = opened.store.append.bind(opened.store);
			opened.store.append = () => Promise.reject(new Error("The store is away"));
			const lost = await Promise.allSettled([note(), note(), note()]);
			expect(lost.map(({ status }) => status)).to.deep.equal(["rejected", "rejected", "rejected"]);
			opened.store.append = append;
			await note();
			expect(await entries()).to.have.length(1);
		});

		it("signs a chain once that grows while it is signed", async () => {
			const insert = opened.store.insert.bind(opened.store);
			let signed = 0;
			opened.store.insert = async (collection, ...rest) => {
				if (collection.name === auditCheckpointCollection.name && signed++ < 10) await note();
				return insert(collection, ...rest);
			};
			await note();
			await audit.checkpointAll();
			expect(signed).to.equal(1);
			await audit.checkpointAll();
			expect(signed, "the next time").to.equal(2);
		});

		it("is whole after old entries with more checkpoints than one export has were removed", async () => {
			using clock = stopClock();
			for (let count = 0; count < 102; count++) {
				await note();
				await audit.checkpoint("t");
			}
			clock.advance(2 * 86_400_000);
			await note();
			await audit.trim(1);
			await audit.checkpoint("t");
			const checkpoints = (await audit.checkpoints("t", 0, 100)).map((text) => JSON.parse(text));
			const log = { publicKey: audit.publicKey, checkpoints, entries: await entries() };
			expect(log.entries.map(({ seq }) => seq)).to.deep.equal([103]);
			expect(verifyAudit(log).faults).to.deep.equal([]);
			expect(checkpoints.map(({ seq }) => seq)).to.deep.equal([102, 103]);
		});
	});
}
