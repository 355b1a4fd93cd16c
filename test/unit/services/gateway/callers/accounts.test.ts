import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { Accounts } from "#services/gateway/callers/accounts.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { eventually } from "../../../../support/eventually.ts";

const pod = (id: string): Principal => ({ kind: "pod", id, generation: 1, tenant: "", roles: [] });

describe("Accounts", () => {
	it("are the same for the pods of a person as soon as the owner is known, and another one for the person", async () => {
		const accounts = new Accounts(async ({ id }) => ({ owner_id: id === "s3" ? "bob" : "alice", tenant_id: "acme" }));
		expect(accounts.accountOf(pod("s1"))).to.deep.equal({ key: "pod s1", tenant: undefined });
		for (const id of ["s2", "s3"]) accounts.accountOf(pod(id));
		await eventually(() => accounts.accountOf(pod("s1")).tenant === "acme");
		const [one, two, three] = ["s1", "s2", "s3"].map((id) => accounts.accountOf(pod(id)).key);
		expect(one).to.equal(two).and.not.to.equal(three);
		expect(accounts.accountOf({ kind: "user", id: "alice", tenant: "acme", roles: [] }).key).not.to.equal(one);
	});

	it("are asked for once at a time, and not again at once when nobody answers", async () => {
		let asked = 0;
		const accounts = new Accounts(async () => {
			asked++;
			throw new UnavailableError("Not now");
		});
		for (let n = 0; n < 10; n++) expect(accounts.accountOf(pod("s1")).key).to.equal("pod s1");
		await new Promise((resolve) => setImmediate(resolve));
		for (let n = 0; n < 10; n++) expect(accounts.accountOf(pod("s1")).key).to.equal("pod s1");
		expect(asked).to.equal(1);
	});

	it("leave a pod alone whose session has no owner", async () => {
		let asked = 0;
		const accounts = new Accounts(async () => (asked++, { owner_id: null, tenant_id: null }));
		accounts.accountOf(pod("s1"));
		await eventually(() => asked === 1);
		expect(accounts.accountOf(pod("s1")).key).to.equal("pod s1");
	});
});
