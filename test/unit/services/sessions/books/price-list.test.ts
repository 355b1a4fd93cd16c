import { expect } from "chai";
import { dollarsOf, microsOf, priceTag } from "#shared/wire/models/money.ts";
import { PriceList } from "#services/sessions/books/price-list.ts";
import type { ModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { noTokens } from "#shared/wire/models/token-counts.ts";

const plain = { name: "m", description: "", tier: "balanced", color: "", context_window: 20_000 } as const;
const prices = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

const catalogue: ModelCatalogue = {
	price_version: "7",
	default_model: "",
	providers: [
		{ id: "far", location: "cloud", endpoints: {}, key_env: "" },
		{ id: "near", location: "local", endpoints: {}, key_env: "" },
	],
	models: [
		{ ...plain, id: "priced", aliases: ["dear"], provider: "far", prices },
		{ ...plain, id: "cheap", provider: "far", prices: { input: 0.01, output: 0.01, cache_read: 0, cache_write: 0 } },
		{ ...plain, id: "free", provider: "far" },
		{ ...plain, id: "local", provider: "near", prices },
	],
};

describe("PriceList", () => {
	const list = new PriceList(catalogue);
	const thousand = { ...noTokens, input: 1_000 };

	it("prices cloud models independently of the reported cost", () => {
		expect(list.version).to.equal("7");
		expect(list.costOf({ provider: "cloud", model: "priced", cost: 9 }, thousand)).to.equal(3_000);
		expect(
			list.costOf({ provider: "cloud", model: "priced" }, { input: 1, output: 1, cache_read: 1, cache_write: 1 }),
		).to.equal(22);
	});

	it("prices and books a model under its id, by whatever name it was reported", () => {
		expect(list.costOf({ provider: "cloud", model: "dear", cost: 9 }, thousand)).to.equal(3_000);
		expect(["dear", "priced", "unknown"].map((name) => list.idOf(name))).to.deep.equal(["priced", "priced", "unknown"]);
		expect(list.mayBeCalled("priced", "dear")).to.equal(true);
	});

	it("uses the reported cost without a price, and is unknown otherwise", () => {
		expect(list.costOf({ provider: "cloud", model: "free", cost: 0.5 }, thousand)).to.equal(500_000);
		for (const model of ["free", "unknown"])
			expect(list.costOf({ provider: "cloud", model, cost: null }, thousand)).to.equal(undefined);
		for (const model of ["local", "priced"])
			expect(list.costOf({ provider: "local", model }, thousand)).to.equal(undefined);
	});

	it("lets a session with a budget call its own model while that is known, any model with a price, and all local ones", () => {
		const allowed = [
			["free", "free"],
			["priced", "free"],
			["local", "local"],
			["unknown", "local"],
			["", ""],
		] as const;
		for (const [model, own] of allowed) expect(list.mayBeCalled(model, own), `${model} of ${own}`).to.equal(true);
		// The session began before the list was changed, so its price is not known any more.
		expect(list.mayBeCalled("unknown", "unknown")).to.equal(false);
		expect(list.mayBeCalled("free", "priced")).to.equal(false);
	});

	it("estimates a call by what it reads, at the dearer price of input, within the context, and at least at a cent", () => {
		expect(list.estimate("priced")).to.equal(60_000 + 60_000);
		expect(list.estimate("priced", { input: 1_000 })).to.equal(3_750 + 60_000);
		expect(list.estimate("priced", { input: 1_000_000 })).to.equal(75_000 + 60_000);
		expect(list.estimate("cheap")).to.equal(10_000);
		for (const model of ["free", "local", "unknown", ""]) expect(list.estimate(model)).to.equal(0);
	});
});

describe("money", () => {
	it("is whole micro-dollars inside and dollars outside", () => {
		expect([microsOf(0.1), microsOf(0.1 + 0.2), dollarsOf(300_001)]).to.deep.equal([100_000, 300_000, 0.300001]);
	});

	it("is written with cents and no more digits than needed", () => {
		expect([0, 100_000, 108_000, 5_000_000, 1].map(priceTag)).to.deep.equal([
			"$0.00",
			"$0.10",
			"$0.108",
			"$5.00",
			"$0.000001",
		]);
	});
});
