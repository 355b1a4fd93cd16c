import { expect } from "chai";
import fc from "fast-check";
import { cutToJsonBytes, jsonBytes } from "#shared/base/answer-size.ts";

describe("cutToJsonBytes()", () => {
	it("returns the longest start that fits, and never half a character", () => {
		const text = fc.string({ unit: fc.constantFrom("a", '"', "\n", "\u0001", "ä", "€", "😀"), maxLength: 80 });
		fc.assert(
			fc.property(text, fc.integer({ min: 2, max: 200 }), (content, bytes) => {
				const cut = cutToJsonBytes(content, bytes);
				expect(content.startsWith(cut)).to.equal(true);
				expect(jsonBytes(cut)).to.be.at.most(bytes);
				expect(cut.isWellFormed()).to.equal(true);
				const [next = ""] = content.slice(cut.length);
				if (next !== "") expect(jsonBytes(cut + next)).to.be.greaterThan(bytes);
			}),
		);
	});
});
