import { expect } from "chai";
import { unfilledPlaceholders } from "#services/sessions/commands/unfilled-placeholders.ts";

describe("unfilledPlaceholders()", () => {
	it("names each placeholder once", () => {
		expect(unfilledPlaceholders("{{a}} and {{ größe-2 }} and {{a}}")).to.equal(
			"the placeholders {{a}}, {{größe-2}} were not filled",
		);
	});

	it("takes nothing else for a placeholder", () => {
		const texts = [
			"",
			"{a}",
			"{{}}",
			"{{ }}",
			"${{ secrets.TOKEN }}",
			"{{a b}}",
			"{{a}",
			"{ {a} }",
			`{{${"x".repeat(65)}}}`,
		];
		for (const text of texts) expect(unfilledPlaceholders(text), text).to.equal(undefined);
	});

	it("stays short, however many there are", () => {
		const text = Array.from({ length: 5_000 }, (_, n) => `{{name${n}}}`).join("");
		const sentence = unfilledPlaceholders(text) ?? "";
		expect(sentence).to.include("{{name9}} and 4990 more were not filled");
		expect(sentence.length).to.be.at.most(200);
	});
});
