import { expect } from "chai";
import fc from "fast-check";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";

describe("nameBasedUuid()", () => {
	const parts = fc.array(fc.string({ unit: "binary" }), { maxLength: 4 });

	it("is a UUID of version 5, the same for the same parts", () => {
		fc.assert(
			fc.property(parts, (names) => {
				const id = nameBasedUuid(...names);
				expect(id).to.match(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
				expect(nameBasedUuid(...names)).to.equal(id);
			}),
		);
	});

	it("is different when the same letters are divided differently", () => {
		fc.assert(
			fc.property(parts, parts, (some, others) => {
				fc.pre(JSON.stringify(some) !== JSON.stringify(others));
				expect(nameBasedUuid(...some)).to.not.equal(nameBasedUuid(...others));
			}),
		);
		expect(nameBasedUuid("a", "bc")).to.not.equal(nameBasedUuid("ab", "c"));
	});
});
