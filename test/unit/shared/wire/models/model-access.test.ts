import { expect } from "chai";
import { modelAccess } from "#shared/wire/models/model-access.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";

const catalogue = readModelCatalogue("config/models.yaml");
const keys: Record<string, string> = { ANTHROPIC_API_KEY: "canary" };
const keyOf = (variable: string): string => keys[variable] ?? "";

describe("modelAccess", () => {
	it("is the provider's endpoints with the key of the platform's environment", () => {
		expect(modelAccess(catalogue, "claude-sonnet-4-6", keyOf)).to.deep.equal({
			provider: "anthropic",
			location: "cloud",
			model: "claude-sonnet-4-6",
			endpoints: { anthropic: "https://api.anthropic.com" },
			key: "canary",
			context_window: 200_000,
			prices: { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 },
		});
	});

	it("is undefined without a model, for an unknown one, and without the provider's key", () => {
		expect(modelAccess(catalogue, "", keyOf)).to.equal(undefined);
		expect(modelAccess(catalogue, "no-such-model", keyOf)).to.equal(undefined);
		expect(modelAccess(catalogue, "claude-sonnet-4-6", () => "")).to.equal(undefined);
	});

	it("falls back to the catalogue's default, and needs no key if the provider needs none", () => {
		const local = { ...catalogue, default_model: "llama3.2:latest" };
		expect(modelAccess(local, "", () => "")).to.include({ model: "llama3.2:latest", location: "local", key: "" });
	});
});
