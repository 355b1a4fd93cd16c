import { expect } from "chai";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";

describe("timeBasedUuid()", () => {
	it("returns a valid UUID of version 7, with the time in front", () => {
		const id = timeBasedUuid(Date.parse("2022-02-22T19:22:22Z"));
		// The time of the example in RFC 9562, appendix A.6.
		expect(id).to.match(/^017f22e2-79b0-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
		expect(compileSchema({ id: { type: "uuid" } })({ id })).to.deep.equal([]);
	});

	it("never returns one twice, and later ones sort after earlier ones", () => {
		const ids = Array.from({ length: 1_000 }, (_, i) => timeBasedUuid(Math.floor(i / 2)));
		expect(new Set(ids).size).to.equal(1_000);
		const ofEachTime = ids.filter((_, i) => i % 2 === 0);
		expect(ofEachTime.toSorted()).to.deep.equal(ofEachTime);
	});
});
