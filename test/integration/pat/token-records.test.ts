/** Personal access tokens over real stores: names, revocation, expiry, uses, and what nobody else reaches. */
import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { collections } from "#services/pat/compose.ts";
import { type NewToken, TokenRecords } from "#services/pat/record/token-records.ts";
import { TokenUses } from "#services/pat/record/token-uses.ts";
import { tokenCollection } from "#services/pat/record/token-collection.ts";
import type { Principal } from "#shared/base/principal.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import { now, turnClock } from "#shared/base/clock.ts";
import type { PersonalToken } from "#shared/contracts/pat/tokens.ts";
import { ConflictError, NotFoundError } from "#shared/base/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { digestOf } from "#shared/base/tokens/token-key.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { alice, bob, carol } from "../../support/bus/test-brokers.ts";
import { failureOf } from "../../support/failure-of.ts";
import { noLog } from "../../support/platform/no-log.ts";
import { storeEngines } from "../../support/stores/open-stores.ts";

const namesake: Principal = { ...alice, tenant: "other" };
const dayMs = 86_400_000;

function newToken(name: string, given: Partial<NewToken> = {}): NewToken {
	const text = `text of ${name} ${randomUUID()}`;
	return { id: randomUUID(), name, scope: "write", text, key: digestOf(text), expiresAt: now() + dayMs, ...given };
}

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`personal access tokens on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let store: DocumentStore;
		let records: TokenRecords;

		beforeEach(async () => {
			opened = await open();
			store = opened.store;
			records = new TokenRecords(store, 3);
		});
		afterEach(() => opened.discard());

		const listOf = async (who: Principal): Promise<PersonalToken[]> =>
			JSON.parse(textOf((await records.list(who, { limit: 100 })).items));

		it("are active until they are revoked by their owner, alone or together", async () => {
			const [one, other] = [newToken("one"), newToken("other")];
			await records.add(alice, one);
			await records.add(alice, other);
			expect(await records.active(one.key)).to.deep.equal({
				id: one.id,
				tenant: "acme",
				owner: "alice",
				scope: "write",
				expires_at: one.expiresAt,
				epoch: 0,
			});
			for (const stranger of [bob, carol, namesake]) {
				expect(await failureOf(records.revoke(stranger, one.id))).to.be.instanceOf(NotFoundError);
				expect(await records.revokeAll(stranger)).to.deep.equal([]);
				expect(await listOf(stranger)).to.deep.equal([]);
			}
			expect(await records.revoke(alice, one.id)).to.equal(one.key);
			expect(await records.active(one.key)).to.equal(undefined);
			expect(await failureOf(records.revoke(alice, one.id))).to.be.instanceOf(NotFoundError);
			expect(await records.revokeAll(alice)).to.deep.equal([other.key]);
			expect(await records.active(other.key)).to.equal(undefined);
		});

		it("are those of all tenants for a person whom a provider knows, so that none outlives a move", async () => {
			const before: Principal = { ...alice, epoch: 0 };
			const after: Principal = { ...alice, tenant: "globex", epoch: 3 };
			const [old, young, foreign] = [newToken("old"), newToken("young"), newToken("foreign")];
			await records.add(before, old);
			await records.add(after, young);
			await records.add(bob, foreign);
			expect(await records.active(young.key)).to.include({ tenant: "globex", epoch: 3 });
			expect((await listOf(after)).map(({ name }) => name)).to.have.members(["old", "young"]);
			expect(await failureOf(records.revoke(after, foreign.id))).to.be.instanceOf(NotFoundError);
			expect(await records.revoke(after, old.id)).to.equal(old.key);
			expect(await records.active(old.key)).to.equal(undefined);
			await records.add(before, newToken("another"));
			expect(await records.revokeAll(after)).to.have.length(2);
			expect(await records.active(foreign.key)).to.include({ owner: "bob" });
		});

		it("have names of their own, and no more than the limit", async () => {
			await records.add(alice, newToken("a"));
			expect(await failureOf(records.refuseNew(alice, newToken("a")))).to.include({ type: "TOKEN_EXISTS" });
			expect(await failureOf(records.add(alice, newToken("a")))).to.include({ type: "TOKEN_EXISTS" });
			await records.add(namesake, newToken("a"));
			const same = newToken("b");
			await records.add(alice, same);
			expect(await failureOf(records.add(alice, newToken("c", { id: same.id })))).to.include({ type: "TOKEN_SHOWN" });
			await records.add(alice, newToken("c"));
			const surplus = await failureOf(records.refuseNew(alice, newToken("d")));
			expect(surplus).to.be.instanceOf(ConflictError).and.to.include({ type: "TOKEN_LIMIT" });
			await records.refuseNew(namesake, newToken("d"));
		});

		it("let one of two tokens with the same name through, at the same moment", async () => {
			const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => records.add(alice, newToken("race"))));
			expect(outcomes.filter(({ status }) => status === "fulfilled")).to.have.length(1);
			expect(await listOf(alice)).to.have.length(1);
		});

		it("are no more than the limit when many are issued at the same moment", async () => {
			const names = ["a", "b", "c", "d", "e", "f"];
			const outcomes = await Promise.allSettled(
				names.map(async (name) => {
					const token = newToken(name);
					await records.refuseNew(alice, token);
					await records.add(alice, token);
				}),
			);
			const refused = outcomes.filter((one) => one.status === "rejected");
			for (const { reason } of refused) expect(reason).to.include({ type: "TOKEN_LIMIT" });
			expect(refused).to.have.length.above(2);
			expect(await listOf(alice)).to.have.length(names.length - refused.length);
		});

		it("are stored without their text", async () => {
			const token = newToken("secret");
			await records.add(alice, token);
			const document = await store.get(tokenCollection, token.id);
			expect(JSON.stringify(document)).to.not.include(token.text);
			expect(document).to.include({ digest: digestOf(token.text) });
		});

		it("end when they expire, and are removed", async () => {
			const token = newToken("short", { expiresAt: now() + 1_000 });
			await records.add(alice, token);
			const lasting = newToken("long");
			await records.add(alice, lasting);
			expect(await records.sweep()).to.equal(0);
			const restore = turnClock({ now: () => token.expiresAt, monotonic: () => performance.now() });
			try {
				expect(await records.active(token.key)).to.equal(undefined);
				expect(await records.sweep()).to.equal(1);
			} finally {
				restore();
			}
			expect((await listOf(alice)).map(({ name }) => name)).to.deep.equal(["long"]);
		});

		it("show when they were used last, by one write for many uses", async () => {
			const [used, unused] = [newToken("used"), newToken("unused")];
			for (const token of [used, unused]) await records.add(alice, token);
			const uses = new TokenUses(records, noLog);
			for (let i = 0; i < 100; i++) uses.note(used.id);
			uses.note("revoked meanwhile");
			await uses.store();
			// Two tokens of the same millisecond have no order.
			const times = (await listOf(alice)).map(({ name, last_used_at }) => [name, typeof last_used_at]);
			expect(times).to.have.deep.members([
				["unused", "object"],
				["used", "string"],
			]);
			expect(await store.get(tokenCollection, used.id, ["rev"])).to.include({ rev: 2 });
			await records.markUsed(used.id, 0);
			expect(await store.get(tokenCollection, used.id, ["rev"]), "an older time").to.include({ rev: 2 });
		});
	});
}
