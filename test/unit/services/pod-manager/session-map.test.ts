import { expect } from "chai";
import { SessionMap } from "#services/pod-manager/session-map.ts";

describe("SessionMap", () => {
	it("keeps no more sessions than its bound, and still takes new values of those that it has", () => {
		const map = new SessionMap<number>(2);
		expect([map.set("a", 1), map.set("b", 2), map.set("c", 3)]).to.deep.equal([true, true, false]);
		expect(map.set("a", 4)).to.equal(true);
		expect(map.entries()).to.deep.equal([
			["a", 4],
			["b", 2],
		]);
		map.delete("b");
		expect(map.set("c", 3)).to.equal(true);
		expect([map.size, map.get("c"), map.has("b")]).to.deep.equal([2, 3, false]);
	});

	it("forgets the sessions that are not named", () => {
		const map = new SessionMap<number>();
		for (const [value, id] of ["a", "b", "c"].entries()) map.set(id, value);
		map.keepOnly(new Set(["b", "d"]));
		expect(map.values()).to.deep.equal([1]);
	});
});
