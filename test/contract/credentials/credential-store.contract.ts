/** The contract of a credential store, which every adapter passes. */
import { expect } from "chai";
import { type CredentialOwner, personOf, tenantOf } from "#services/credentials/store/credential-owner.ts";
import type { CredentialStore, CredentialValues, NewCredential } from "#services/credentials/store/credential-store.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { failureOf } from "../../support/failure-of.ts";

const alice = personOf({ tenant: "acme", id: "alice" });
const strangers: CredentialOwner[] = [
	personOf({ tenant: "acme", id: "bob" }),
	personOf({ tenant: "other", id: "alice" }),
	personOf({ tenant: "default", id: "acme.alice" }),
	tenantOf("acme"),
	{ type: "tenant", tenant: "alice", id: "alice" },
];

function generic(name: string, data: Record<string, string>): NewCredential {
	return { name, secret_type: "generic", data, metadata: {} };
}

/** @param open Opens an empty store for five credentials of an owner. */
export function describeCredentialStore(name: string, open: () => Promise<CredentialStore>): void {
	describe(`the credential store ${name}`, () => {
		let store: CredentialStore;

		beforeEach(async () => {
			store = await open();
		});

		async function values(owner: CredentialOwner, which: string): Promise<CredentialValues | undefined> {
			return (await store.values(owner, [which])).get(which);
		}

		it("returns the values of those names that the owner has", async () => {
			await store.put(alice, generic("a", { token: "one" }));
			await store.put(alice, generic("b", { token: "two" }));
			const found = await store.values(alice, ["b", "c", "a", "a"]);
			expect([...found.keys()]).to.have.members(["a", "b"]);
			expect(found.get("a")?.data).to.deep.equal({ token: "one" });
			expect(found.get("b")?.data).to.deep.equal({ token: "two" });
			expect([...(await store.values(alice, []))]).to.deep.equal([]);
		});

		it("shows what was stored without its values, and returns the values for a launch only", async () => {
			const data = { user: "alice", password: "s3cret\n'\u{1F511}" };
			const metadata = { for: "the registry" };
			const entry = await store.put(alice, { name: "registry", secret_type: "api_key", data, metadata });
			expect(entry).to.include({ name: "registry", secret_type: "api_key" });
			expect(entry).to.deep.include({ keys: ["password", "user"], metadata });
			expect(JSON.stringify(entry)).not.to.contain("s3cret");
			expect(await store.list(alice)).to.deep.equal([entry]);
			expect(await store.get(alice, "registry")).to.deep.equal(entry);
			expect(await values(alice, "registry")).to.deep.equal({ secret_type: "api_key", data });
		});

		it("replaces the values of a name, and keeps its id and the time of its creation", async () => {
			const first = await store.put(alice, generic("a", { one: "1" }));
			const second = await store.put(alice, { ...generic("a", { two: "2" }), secret_type: "api_key" });
			expect(second).to.deep.include({ id: first.id, created_at: first.created_at, keys: ["two"] });
			expect(await store.list(alice)).to.deep.equal([second]);
			expect(await values(alice, "a")).to.deep.equal({ secret_type: "api_key", data: { two: "2" } });
		});

		it("deletes a name once", async () => {
			await store.put(alice, generic("a", { one: "1" }));
			await store.put(alice, generic("b", { one: "1" }));
			expect(await store.delete(alice, "a")).to.equal(true);
			expect(await store.delete(alice, "a")).to.equal(false);
			expect(await values(alice, "a")).to.equal(undefined);
			expect((await store.list(alice)).map((entry) => entry.name)).to.deep.equal(["b"]);
		});

		it("does not know a name that nobody has stored", async () => {
			for (const unknown of ["registry", "__proto__", "constructor", "credentials", "../alice/a", ""]) {
				expect(await store.get(alice, unknown)).to.equal(undefined);
				expect(await values(alice, unknown)).to.equal(undefined);
				expect(await store.delete(alice, unknown)).to.equal(false);
			}
		});

		it("stores names and fields that mean something elsewhere", async () => {
			const names = ["credentials", "__proto__", "constructor", "-", "credentials_fields"];
			for (const [index, odd] of names.entries()) await store.put(alice, generic(odd, { __proto__x: String(index) }));
			for (const [index, odd] of names.entries())
				expect((await values(alice, odd))?.data).to.deep.equal({ __proto__x: String(index) });
			expect(await store.list(alice)).to.have.length(5);
		});

		it("keeps the credentials of each owner apart, also those of one name", async () => {
			await store.put(alice, generic("a", { token: "hers" }));
			for (const [index, stranger] of strangers.entries()) {
				expect(await store.list(stranger)).to.deep.equal([]);
				expect(await values(stranger, "a")).to.equal(undefined);
				expect(await store.delete(stranger, "a")).to.equal(false);
				await store.put(stranger, generic("a", { token: String(index) }));
			}
			for (const [index, stranger] of strangers.entries())
				expect((await values(stranger, "a"))?.data).to.deep.equal({ token: String(index) });
			expect((await values(alice, "a"))?.data).to.deep.equal({ token: "hers" });
		});

		it("loses none of the changes that come at the same time", async () => {
			const names = ["a", "b", "c", "d", "e"];
			await Promise.all(names.map((one) => store.put(alice, generic(one, { token: one }))));
			expect((await store.list(alice)).map((entry) => entry.name).toSorted()).to.deep.equal(names);
			const outcomes = await Promise.all(["a", "a", "b"].map((one) => store.delete(alice, one)));
			expect(outcomes.filter(Boolean)).to.have.length(2);
		});

		it("refuses one more than it keeps for an owner, but takes another value of those", async () => {
			for (const one of ["a", "b", "c", "d", "e"]) await store.put(alice, generic(one, { token: one }));
			expect(await failureOf(store.put(alice, generic("f", { token: "x" })))).to.be.instanceOf(ConflictError);
			await store.put(alice, generic("a", { token: "x" }));
			expect(await store.list(alice)).to.have.length(5);
		});

		it("names everybody who has credentials, also those whose names cannot be folders", async () => {
			const owners = [alice, tenantOf("acme"), personOf({ tenant: "acme", id: "https://issuer/ünknown" })];
			for (const owner of owners) await store.put(owner, generic("a", { token: "x" }));
			expect(await store.owners()).to.have.deep.members(owners);
			await store.delete(alice, "a");
			expect(await store.owners()).to.have.deep.members(owners.slice(1));
		});

		it("takes a credential of another store with its id and its times, also beyond the bound", async () => {
			for (const one of ["a", "b", "c", "d", "e"]) await store.put(alice, generic(one, { token: one }));
			const times = { created_at: "2025-01-01T00:00:00.000Z", updated_at: "2025-02-01T00:00:00.000Z" };
			const entry = {
				id: "id-of-f",
				name: "f",
				secret_type: "generic",
				keys: ["token"],
				metadata: { k: "v" },
				...times,
			} as const;
			const credential = {
				entry: { ...entry, keys: [...entry.keys], metadata: { ...entry.metadata } },
				data: { token: "f" },
			};
			await store.adopt(alice, credential);
			expect(await store.get(alice, "f")).to.deep.equal(credential.entry);
			expect((await values(alice, "f"))?.data).to.deep.equal({ token: "f" });
		});

		it("keeps its own copy of the values", async () => {
			const data = { token: "first" };
			await store.put(alice, generic("a", data));
			data.token = "changed";
			const read = await values(alice, "a");
			if (read) Reflect.set(read.data, "token", "changed too");
			expect((await values(alice, "a"))?.data).to.deep.equal({ token: "first" });
		});
	});
}
