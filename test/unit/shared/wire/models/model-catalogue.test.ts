import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";

describe("readModelCatalogue", () => {
	let folder: string;
	before(() => (folder = mkdtempSync(join(tmpdir(), "atelier-models-"))));
	after(() => rmSync(folder, { recursive: true }));

	function read(text: string) {
		const file = join(folder, "models.yaml");
		writeFileSync(file, text);
		return () => readModelCatalogue(file);
	}

	it("reads the shipped one, in which every provider has a known wire format", () => {
		const { providers, models } = readModelCatalogue("config/models.yaml");
		expect(models.length).to.be.greaterThan(0);
		for (const { endpoints } of providers) expect(Object.keys(endpoints).length).to.be.greaterThan(0);
	});

	const wrong: [string, string, RegExp][] = [
		["a wire format nobody speaks", "providers: [{id: p, endpoints: {smtp: http://h}}]", /"p".*"smtp".*known: openai/],
		["a model of no provider", "models: [{id: m, name: M, provider: q}]", /"m".*"q".*does not exist/],
		["a default that is not there", "default_model: x", /"x" does not exist/],
		["a name nobody knows", "default_modle: m", /: line 2: "default_modle" is not a key of model catalogues$/],
		[
			"a misspelt price list, without which the model would cost nothing",
			"models: [{id: m, name: M, provider: p}, {id: n, name: N, provider: p, prises: {input: 1}}]",
			/line 2: "models\.1\.prises" is not a key of model catalogues$/,
		],
		[
			"an alias that is another model",
			"providers: [{id: p, endpoints: {}}]\nmodels: [{id: m, name: M, provider: p}, {id: n, name: N, provider: p, aliases: [m]}]",
			/two models "m"/,
		],
		[
			"two mistakes of its form",
			"default_modle: m\nmodels: [{id: m, name: 1, provider: p}]",
			/line 2: "default_modle" is .*; line 3, "models\.0\.name": .*string/,
		],
		[
			"every name that leads nowhere",
			"providers: [{id: p, endpoints: {smtp: http://h}}]\nmodels:\n- {id: m, name: M, provider: q}\ndefault_model: x",
			/line 2, .*"smtp".*; line 4, "models\.0\.provider": model "m" .*; line 5, .*"x" does not exist$/,
		],
		["a negative price", "models: [{id: m, name: M, provider: p, prices: {input: -1}}]", /prices\.input/],
	];
	for (const [what, text, sentence] of wrong) {
		it(`refuses ${what}, naming it`, () => {
			expect(read(`price_version: v1\n${text}\n`))
				.to.throw(sentence)
				.with.property("name", "ConfigError");
		});
	}

	it("names the file that cannot be read", () => {
		expect(() => readModelCatalogue(join(folder, "absent.yaml"))).to.throw(/Cannot read the model catalogue .*absent/);
	});
});
