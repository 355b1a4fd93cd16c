import { expect } from "chai";
import type { Caller } from "../../../../cli/doctor/caller.ts";
import { changeOf, comparableBy } from "../../../../cli/doctor/comparable-text.ts";

function caller(id: string, roles: readonly string[]): Caller {
	return { name: id, headers: {}, principal: { kind: "user", id, tenant: "acme", roles: [...roles] } };
}

function members(role: string): string {
	const of = (user: string, own: string) => `{"user_id":"${user}","tenant_id":"acme","role":"${own}"}`;
	return `[${of("ann", role)},${of("bob", role)}]`;
}

describe("the comparable part of an answer", () => {
	it("has no role of a person who comes with several, and the roles of all others", () => {
		const comparable = comparableBy([caller("ann", ["admin"]), caller("ann", ["viewer"]), caller("bob", ["viewer"])]);
		const text = comparable(members("admin"));
		expect(text).to.equal(
			'[{"user_id":"ann","tenant_id":"acme",},{"user_id":"bob","tenant_id":"acme","role":"admin"}]',
		);
		expect(comparable(members("viewer"))).not.to.equal(text);
	});

	it("has all roles when nobody comes with several", () => {
		const comparable = comparableBy([caller("ann", ["admin"]), caller("ann", ["admin"])]);
		expect(comparable(members("admin"))).to.equal(members("admin"));
	});

	it("is told with its first difference, however long it is", () => {
		const same = "x".repeat(1_000);
		expect(changeOf(`${same}before`, `${same}after`)).to.match(/^x{100}before became x{100}after$/);
	});
});
