import { expect } from "chai";
import { modelChoice, modelOption } from "#agent/coding-agents/acp/acp-model.ts";

const option = {
	id: "o",
	category: "model",
	type: "select",
	options: [
		{ value: "a-1", name: "A" },
		{ value: "b-1", name: "B" },
	],
};
const grouped = { ...option, options: [{ name: "Group", options: [{ value: "a-1", name: "A" }] }, { value: "b-1" }] };

describe("modelOption()", () => {
	it("is the one option for the model, if the agent has one", () => {
		expect(modelOption([{ category: "mode", type: "select" }, option])).to.equal(option);
		expect(modelOption([{ ...option, type: "text" }])).to.equal(undefined);
		expect(modelOption([])).to.equal(undefined);
	});
});

describe("modelChoice()", () => {
	it("chooses by value or by name, in groups too", () => {
		for (const model of ["a-1", "A"])
			for (const one of [option, grouped])
				expect(modelChoice(one, model)).to.deep.equal({ configId: "o", value: "a-1" });
		expect(modelChoice(grouped, "b-1").value).to.equal("b-1");
	});

	it("says what the agent offers when it does not have the model", () => {
		expect(() => modelChoice(grouped, "Group")).to.throw('The coding agent has no model "Group"; it offers a-1, b-1');
	});
});
