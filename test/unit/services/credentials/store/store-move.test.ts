import { expect } from "chai";
import { MemoryCredentials } from "#services/credentials/credential-stores/memory.ts";
import { type CredentialOwner, personOf, tenantOf } from "#services/credentials/store/credential-owner.ts";
import type {
	CredentialStore,
	CredentialValues,
	NewCredential,
	StoredCredential,
} from "#services/credentials/store/credential-store.ts";
import { copyCredentials, type MoveReport, removeOriginals } from "#services/credentials/store/store-move.ts";
import { sleep } from "#shared/base/clock.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const ada = personOf({ tenant: "default", id: "ada" });
const acme = tenantOf("acme");

function generic(name: string, token: string): NewCredential {
	return { name, secret_type: "generic", data: { token }, metadata: { of: name } };
}

/** A store whose process is killed, or that answers something else than it has taken. */
class FaultyCredentials extends MemoryCredentials {
	killedAfter = Infinity;
	isBroken = false;

	override async adopt(owner: CredentialOwner, credential: StoredCredential): Promise<void> {
		if (this.killedAfter-- <= 0) throw new Error("killed");
		return super.adopt(owner, credential);
	}

	override async values(owner: CredentialOwner, names: readonly string[]): Promise<Map<string, CredentialValues>> {
		return this.isBroken ? new Map() : super.values(owner, names);
	}
}

describe("copyCredentials() and removeOriginals()", () => {
	let from: MemoryCredentials;
	let to: FaultyCredentials;

	beforeEach(async () => {
		[from, to] = [new MemoryCredentials(), new FaultyCredentials()];
		await from.put(ada, generic("one", "1"));
		await from.put(ada, generic("two", "2"));
		await from.put(acme, generic("three", "3"));
	});

	async function allOf(store: CredentialStore): Promise<object> {
		const listed = await Promise.all([store.list(ada), store.list(acme)]);
		const values = await Promise.all([store.values(ada, ["one", "two"]), store.values(acme, ["three"])]);
		return { listed, values: values.map((found) => [...found]) };
	}

	/** Returns how many credentials had which outcome. */
	function counts(report: MoveReport): object {
		return Object.fromEntries(
			Object.entries(report).flatMap(([outcome, { length }]) => (length > 0 ? [[outcome, length]] : [])),
		);
	}

	it("copies all with their ids and times, and leaves the originals", async () => {
		const before = await allOf(from);
		expect(counts(await copyCredentials({ from, to }))).to.deep.equal({ copied: 3 });
		expect(await allOf(to)).to.deep.equal(before);
		expect(await allOf(from)).to.deep.equal(before);
	});

	it("goes on where it was interrupted, and removes originals whose copies are there", async () => {
		const before = await allOf(from);
		to.killedAfter = 2;
		expect(await failureOf<Error>(copyCredentials({ from, to }))).to.have.property("message", "killed");
		to.killedAfter = Infinity;
		expect(counts(await removeOriginals({ from, to }))).to.deep.equal({ removed: 2, missing: 1 });
		expect(counts(await copyCredentials({ from, to }))).to.deep.equal({ copied: 1 });
		expect(counts(await removeOriginals({ from, to }))).to.deep.equal({ removed: 1 });
		expect(await allOf(to)).to.deep.equal(before);
		expect(await from.owners()).to.deep.equal([]);
	});

	it("leaves what people have stored in the new store since, with its original", async () => {
		await sleep(2);
		await to.put(ada, generic("one", "newer"));
		const { newer, copied } = await copyCredentials({ from, to });
		expect([newer, copied.length]).to.deep.equal([['"one" of user "ada"'], 2]);
		expect(counts(await removeOriginals({ from, to }))).to.deep.equal({ newer: 1, removed: 2 });
		expect((await to.values(ada, ["one"])).get("one")?.data).to.deep.equal({ token: "newer" });
		expect((await from.values(ada, ["one"])).get("one")?.data).to.deep.equal({ token: "1" });
	});

	it("copies again what was changed in the first store since", async () => {
		await copyCredentials({ from, to });
		await sleep(2);
		await from.put(ada, generic("one", "changed"));
		expect(counts(await copyCredentials({ from, to }))).to.deep.equal({ copied: 1, present: 2 });
		expect((await to.values(ada, ["one"])).get("one")?.data).to.deep.equal({ token: "changed" });
	});

	it("brings nothing back that was deleted in the new store when it removes originals", async () => {
		await copyCredentials({ from, to });
		await to.delete(ada, "one");
		expect((await removeOriginals({ from, to })).missing).to.deep.equal(['"one" of user "ada"']);
		expect(await to.get(ada, "one")).to.equal(undefined);
	});

	it("says so when a copy reads otherwise, and removes no original of it", async () => {
		to.isBroken = true;
		const failure = await failureOf<Error>(copyCredentials({ from, to }));
		expect(failure.message).to.contain("All originals are there");
		expect(counts(await removeOriginals({ from, to }))).to.deep.equal({ missing: 3 });
		expect(await from.list(ada)).to.have.length(2);
	});
});
