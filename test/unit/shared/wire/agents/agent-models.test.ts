import { expect } from "chai";
import { fittingModels, missingModel } from "#shared/wire/agents/agent-models.ts";
import { readAgentRecord, readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";

const catalogue = readModelCatalogue("config/models.yaml");
const noKeys = (): string => "";

describe("the shipped catalogue", () => {
	for (const record of readAgentRecords().values()) {
		it(`has a model in the cloud, with a price, for ${record.id}`, () => {
			const ids = fittingModels(record, catalogue, noKeys).map(({ id }) => id);
			const priced = catalogue.models.filter(({ id, prices }) => prices && ids.includes(id));
			expect(priced.length).to.be.greaterThan(0);
		});
	}
});

describe("fittingModels()", () => {
	it("are those of providers that speak a format of the agent, the usable ones first", () => {
		const keyOf = (name: string): string => (name === "GEMINI_API_KEY" ? "key" : "");
		const fitting = fittingModels(readAgentRecord("opencode"), catalogue, keyOf);
		const usable = fitting.filter(({ missing_key }) => missing_key === undefined).map(({ id }) => id);
		expect(usable).to.include.members(["gemini-3.8-flash", "llama3.2:latest"]);
		expect(fitting.slice(0, usable.length).map(({ id }) => id)).to.deep.equal(usable);
		expect(fitting).to.deep.include({ id: "claude-sonnet-4-6", missing_key: "ANTHROPIC_API_KEY" });
		const ofClaude = fittingModels(readAgentRecord("claude"), catalogue, keyOf).map(({ id }) => id);
		expect(
			ofClaude.every((id) => id.startsWith("claude-")),
			ofClaude.join(),
		).to.equal(true);
	});
});

describe("missingModel()", () => {
	const missing = (id: string, used = catalogue, keyOf = noKeys): string | undefined => {
		const record = readAgentRecord(id);
		return missingModel(record, fittingModels(record, used, keyOf));
	};

	it("names the keys, one of which is enough", () => {
		expect(missing("codex")).to.equal(
			'The coding agent "codex" can use no model now: set OPENAI_API_KEY where the platform is started',
		);
		expect(missing("codex", catalogue, () => "key")).to.equal(undefined);
		const cloud = catalogue.providers.filter(({ location }) => location === "cloud").map(({ id }) => id);
		const models = catalogue.models.filter(({ provider }) => cloud.includes(provider));
		expect(missing("opencode", { ...catalogue, models })).to.match(/: set ANTHROPIC_API_KEY or OPENAI_API_KEY or /);
	});

	it("says when the catalogue has none, unless the agent needs none", () => {
		expect(missing("codex", { ...catalogue, models: [] })).to.equal(
			'The coding agent "codex" can use no model now: the catalogue has none that speaks openai-responses',
		);
		expect(missing("builtin", { ...catalogue, models: [] })).to.equal(undefined);
		expect(missing("kimi"), "a server on this machine wants no key").to.equal(undefined);
	});
});
