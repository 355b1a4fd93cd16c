import { expect } from "chai";
import { MemorySecrets } from "#services/settings/secret-stores/memory.ts";
import type { Principal } from "#shared/base/principal.ts";
import { ConflictError, UnavailableError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const bob: Principal = { ...alice, id: "bob" };
const data = { token: "x" };

describe("MemorySecrets", () => {
	it("keeps no more secrets of one user than it says, and those of others", async () => {
		const store = new MemorySecrets({ max_per_user: 2 });
		for (const name of ["a", "b"]) await store.create(alice, { name, data });
		expect(await failureOf(store.create(alice, { name: "c", data }))).to.be.instanceOf(ConflictError);
		expect(await store.create(bob, { name: "c", data })).to.include({ name: "c" });
	});

	it("is full at its bound of bytes, and keeps what it has", async () => {
		const store = new MemorySecrets({ max_bytes: 100 });
		await store.create(alice, { name: "a", data });
		const large = { name: "b", data: { token: "x".repeat(100) } };
		expect(await failureOf(store.create(alice, large))).to.be.instanceOf(UnavailableError);
		expect((await store.list(alice)).map(({ name }) => name)).to.deep.equal(["a"]);
	});
});
