import { expect } from "chai";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { unknownModel } from "#shared/wire/models/unknown-model.ts";

describe("unknownModel()", () => {
	const catalogue = readModelCatalogue("config/models.yaml");
	const [model] = catalogue.models;
	if (!model) throw new Error("The shipped catalogue is empty");

	it("names the known models, and the one that was probably meant", () => {
		const near: [string, string][] = [
			["claude-sonet-4-6", "claude-sonnet-4-6"],
			["Claude-Sonnet-4-6", "claude-sonnet-4-6"],
			["sonnet", "claude-sonnet-4-6"],
			["Haiku 4.5", "claude-haiku-4-5-20251001"],
			["llama3.2", "llama3.2:latest"],
		];
		for (const [name, meant] of near) {
			const words = `There is no model "${name}"; did you mean "${meant}"? Known: claude-opus-4-6, claude-sonnet-4-6, `;
			expect(unknownModel(catalogue, name).slice(0, words.length)).to.equal(words);
		}
	});

	it("suggests none if no name is similar", () => {
		const words = /^There is no model "xyz"; known: claude-opus-4-6, claude-sonnet-4-6, /;
		expect(unknownModel(catalogue, "xyz")).to.match(words);
	});

	it("names twenty of many, and counts the others", () => {
		const models = Array.from({ length: 1_000 }, (_, n) => ({ ...model, id: `${"m".repeat(90)}-${n}` }));
		const sentence = unknownModel({ models }, "\u{1F600}".repeat(100_000));
		expect(sentence).to.match(/-18, m+-19 and 980 more$/);
		expect(sentence.length).to.be.below(2_500);
		expect(unknownModel({ models: [] }, "m")).to.equal(
			'There is no model "m"; the platform\'s catalogue of models has none',
		);
	});
});
