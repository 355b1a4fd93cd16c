import { expect } from "chai";
import { foldedText } from "#services/blueprints/prompts/folded-text.ts";

describe("foldedText()", () => {
	it("is equal for texts that differ in case or in the form of their characters", () => {
		for (const [one, other] of [
			["Review ME", "review me"],
			["GRÖSSE", "größe".replace("ß", "ss")],
			["Ö", "O\u0308"],
			["ΟΔΟΣ", "οδος"],
			["οδοσ", "οδος"],
			["ÉCOLE 😀", "école 😀"],
		] as const)
			expect(foldedText(one), one).to.equal(foldedText(other));
	});

	it("leaves marks as they are, and has nothing that a store cannot search", () => {
		expect(foldedText('100% a_b {{x}} \\ "\n')).to.equal('100% a_b {{x}} \\ "\n');
		expect(foldedText("a\0b")).to.equal("a\uFFFDb");
	});

	it("makes the longest text of a search no longer than a store accepts (500)", () => {
		for (const longest of ["İ", "\u0958", "\uFB2C", "\u1D160", "x"])
			expect(foldedText(longest.repeat(150)).length).to.be.at.most(500);
	});
});
