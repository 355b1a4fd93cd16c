import { expect } from "chai";
import { modelRefusal } from "#shared/wire/models/model-refusal.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";

const catalogue = readModelCatalogue("config/models.yaml");
const noKeys = (): string => "";

describe("modelRefusal()", () => {
	it("names the variable that is not set, and what the provider speaks", () => {
		const model = "claude-sonnet-4-6";
		expect(modelRefusal(catalogue, model, noKeys)).to.deep.equal({
			model,
			reason: `Model "${model}" cannot be used: ANTHROPIC_API_KEY is not set where the platform was started`,
			wires: ["anthropic"],
		});
		expect(modelRefusal({ ...catalogue, default_model: model }, "", noKeys)).to.include({ model });
	});

	it("says that there is no such model", () => {
		expect(modelRefusal(catalogue, "claude-sonet-4-6", noKeys)?.reason).to.match(
			/^There is no model "claude-sonet-4-6"/,
		);
		expect(modelRefusal(catalogue, "claude-sonet-4-6", noKeys)?.wires).to.deep.equal([]);
	});

	it("is empty for a usable model, and without a model", () => {
		expect(modelRefusal(catalogue, "claude-sonnet-4-6", () => "key")).to.equal(undefined);
		expect(modelRefusal(catalogue, "llama3.2:latest", noKeys)).to.equal(undefined);
		expect(modelRefusal(catalogue, "", noKeys)).to.equal(undefined);
	});
});
