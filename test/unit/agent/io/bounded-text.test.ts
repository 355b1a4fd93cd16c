import { expect } from "chai";
import fc from "fast-check";
import { BoundedText } from "#agent/io/bounded-text.ts";

describe("BoundedText", () => {
	it("keeps all of a text within the bound, and beginning and end of a longer one", () => {
		fc.assert(
			fc.property(fc.array(fc.string({ maxLength: 15 })), (pieces) => {
				const bounded = new BoundedText(20);
				for (const piece of pieces) bounded.append(piece);
				const whole = pieces.join("");
				expect(bounded.length).to.equal(whole.length);
				if (whole.length <= 20) expect(bounded.toString()).to.equal(whole);
				else {
					const mark = `\n… ${whole.length - 20} characters left out …\n`;
					expect(bounded.toString()).to.equal(whole.slice(0, 10) + mark + whole.slice(-10));
				}
			}),
		);
	});
});
