import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { Audience, audienceKey } from "#services/stream/audience.ts";

const user = (id: string, tenant: string, roles: string[] = []): Principal => ({ kind: "user", id, tenant, roles });

const alice = user("alice", "acme");
const admin = user("root", "acme", ["admin"]);
const stranger = user("alice", "other");
const strangeAdmin = user("root", "other", ["admin", "developer"]);

describe("Audience", () => {
	for (const [who, principal, seen] of [
		["a user", alice, ["own", "nobody's"]],
		["another user", user("bob", "acme"), ["nobody's"]],
		["an administrator", admin, ["own", "nobody's"]],
		["a user of the same name elsewhere", stranger, []],
		["an administrator elsewhere", strangeAdmin, []],
	] as const) {
		it(`shows ${who} ${seen.length === 0 ? "nothing" : `what is ${seen.join(" and ")}`}`, () => {
			const audience = new Audience(principal);
			expect(audience.sees({ tenant: "acme", owner: "alice" })).to.equal(seen.some((one) => one === "own"));
			expect(audience.sees({ tenant: "acme" })).to.equal(seen.some((one) => one === "nobody's"));
		});
	}
});

describe("audienceKey()", () => {
	it("is equal for clients that see the same, and for no others", () => {
		expect(audienceKey(alice)).to.equal(audienceKey({ ...alice, kind: "pat", roles: ["developer"] }));
		expect(audienceKey(admin)).to.equal(audienceKey(user("boss", "acme", ["admin"])));
		const all = [
			alice,
			admin,
			stranger,
			strangeAdmin,
			user("bob", "acme"),
			user('a","b', "acme"),
			user("b", 'acme","a'),
		];
		expect(new Set(all.map(audienceKey)).size).to.equal(all.length);
	});
});
