import { expect } from "chai";
import { type Principal, principalKey } from "#shared/base/principal.ts";

const user: Principal = { kind: "user", tenant: "acme", id: "ada", roles: [] };

describe("principalKey()", () => {
	it("is the same for the same principal with any roles", () => {
		expect(principalKey({ ...user, roles: ["admin"] })).to.equal(principalKey(user));
	});

	it("tells principals apart by kind, tenant and id, and names that look alike when put together", () => {
		const others: Principal[] = [
			user,
			{ ...user, kind: "pat" },
			{ ...user, tenant: "other" },
			{ ...user, id: "bob" },
			...["\0", " ", ",", '"'].flatMap((between) => [
				{ ...user, tenant: `a${between}b`, id: "c" },
				{ ...user, tenant: "a", id: `b${between}c` },
			]),
			{ ...user, tenant: "1", id: "1 x" },
			{ ...user, tenant: "1 1", id: "x" },
			{ ...user, tenant: "", id: "" },
		];
		expect(new Set(others.map(principalKey)).size).to.equal(others.length);
	});
});
