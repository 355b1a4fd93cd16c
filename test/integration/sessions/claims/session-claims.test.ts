/** Claims over a real store: a session ends even if many others wait. */
import { expect } from "chai";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import type { SessionCommands } from "#services/sessions/commands/session-commands.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { personKey } from "#shared/base/principal.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";
import { seen } from "../../../support/platform/session-actor.ts";
import { alice, bob } from "../../../support/bus/test-brokers.ts";
import { commandsOver } from "../../../support/platform/session-commander.ts";
import { sessionCreate } from "../../../support/platform/session-record.ts";
import { workspacesOver } from "../../../support/workspaces/test-workspaces.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";

describe("SessionClaims", () => {
	let opened: StoreUnderTest;
	let store: DocumentStore;
	let commands: SessionCommands;
	let claims: SessionClaims;

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection]);
		store = opened.store;
		const records = new SessionRecords(store, () => {});
		commands = commandsOver(records, store);
		claims = new SessionClaims(store, {
			records,
			workspaces: workspacesOver(store),
			hint: () => {},
			forget: async () => {},
		});
	});
	afterEach(() => opened.discard());

	async function created(more: Partial<SessionCreate> = {}): Promise<string> {
		const order = { request: sessionCreate(more) };
		await commands.create({ principal: alice }, order);
		const { documents } = await store.find(
			sessionCollection,
			"created",
			{ equals: [] },
			{ limit: 1, descending: true },
		);
		return documents[0]?.id ?? "";
	}

	async function claimed(id: string): Promise<Claim> {
		const [claim] = await claims.claim(1, [id]);
		return claim ?? expect.fail("nothing to claim");
	}

	it("gives one person's session a turn before the second of another person who starts many", async () => {
		const order = { request: sessionCreate() };
		for (let n = 0; n < 20; n++) await commands.create({ principal: alice }, order);
		await commands.create({ principal: bob }, order);
		const own = { equals: [bob.tenant, bob.id, "active"] };
		const [his] = (await store.find(sessionCollection, "owner_shelf", own, { limit: 1 })).documents;
		const [first, ...others] = await claims.claim(4);
		expect(others.map(({ id }) => id)).to.include(his?.id);
		expect(first?.id, "the longest waiting goes first").to.not.equal(his?.id);
		const rest = await claims.claim(100);
		expect(rest.map(({ id }) => id))
			.to.have.length(17)
			.and.to.not.include(his?.id);
	});

	it("leases as many sessions of one person as the pod manager may work on, whether they start or end", async () => {
		for (let n = 0; n < 2; n++) await created();
		for (let n = 0; n < 2; n++) await commands.run({ principal: alice }, "delete", await created());
		await commands.create({ principal: bob }, { request: sessionCreate() });
		const underWay = { [personKey(alice.tenant, alice.id)]: 2 };
		const first = await claims.claim(64, undefined, { passesPerOwner: 3, underWay });
		expect(first.map(({ owner }) => owner)).to.have.members([alice.id, bob.id]);
		const second = await claims.claim(64, undefined, { passesPerOwner: 2, startingPerOwner: 1 });
		expect(
			second.map(({ desired }) => desired),
			"launches that wait take no place from ends",
		).to.deep.equal(["purge", "purge"]);
	});

	it("accepts the lease of a process whose clock is ahead, and not one of an hour ahead (L8)", async () => {
		for (const [aheadMs, isFree] of [
			[25_000, false],
			[3_600_000, true],
		] as const) {
			const id = await created();
			const putBack = turnClock({ now: () => Date.now() + aheadMs, monotonic: () => performance.now() });
			try {
				await claimed(id);
			} finally {
				putBack();
			}
			expect(await claims.claim(1, [id])).to.have.length(isFree ? 1 : 0);
		}
	});

	it("removes a tombstone while 500 other sessions wait for the relay, and not before its own event was relayed (L13)", async () => {
		const told = [{ n: 1, type: "session_updated", data: "{}", audience: { tenant: "t" }, at: 1 }];
		for (let n = 0; n < 500; n++) await store.insert(sessionCollection, { id: `waiting-${n}`, wire: "{}" }, told);
		const id = await created();
		await commands.run({ principal: alice }, "delete", id);
		const pass = async () =>
			claims.report({ ...(await claimed(id)), observed: { ...seen("absent"), purged: true }, due_in_ms: 0 });
		await pass();
		expect(await store.get(sessionCollection, id), "its event waits").to.not.equal(undefined);
		await store.trimOutbox(sessionCollection, id, 99);
		await pass();
		expect(await store.get(sessionCollection, id)).to.equal(undefined);
	});

	it("does not take a report whose lease a newer one replaces between its reading and its writing", async () => {
		const id = await created();
		const claim = await claimed(id);
		const update = store.update.bind(store);
		store.update = async (...write) => {
			store.update = update;
			// A lease changes no revision, so the revision alone does not fence the former one off.
			await store.update(sessionCollection, id, { equals: {} }, { set: { fence: claim.fence + 1 } });
			return update(...write);
		};
		expect(await claims.report({ ...claim, observed: seen("ready"), due_in_ms: 0 })).to.equal(false);
		const { wire = "{}", fence } = (await store.get(sessionCollection, id)) ?? {};
		expect(JSON.parse(wire)).to.include({ status: "starting" });
		expect(fence).to.equal(claim.fence + 1);
	});

	it("a session that cannot be leased blocks no other (H2)", async () => {
		const ids = [await created({ name: "a" }), await created({ name: "b" }), await created({ name: "c" })];
		const broken = ids[1] ?? "";
		const update = store.update.bind(store);
		store.update = (collection, id, ...rest) =>
			id === broken ? Promise.reject(new Error("It is broken")) : update(collection, id, ...rest);
		const taken = await claims.claim(16, ids);
		expect(taken.map(({ id }) => id)).to.have.members(ids.filter((id) => id !== broken));
		expect(await failureOf(claims.claim(16, [broken]))).to.have.property("message", "It is broken");
	});

	it("leases as many as fit into an answer, and the others at the next call (H2)", async () => {
		const prompt = "x".repeat(100_000);
		const ids = [];
		for (const name of ["a", "b", "c", "d", "e"])
			ids.push(await created({ name, initial_prompt: prompt, system_prompt: prompt }));
		const taken = new Set<string>();
		for (let calls = 0; taken.size < ids.length; calls++) {
			const answer = await claims.claim(16, ids);
			expect(JSON.stringify(answer).length).to.be.below(maxMessageBytes);
			for (const { id } of answer) taken.add(id);
			expect(calls).to.be.below(ids.length);
		}
	});
});
