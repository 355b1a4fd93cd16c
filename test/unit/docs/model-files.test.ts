/** The model files that docs/first-session.md shows are accepted, and each member that a file may have is explained. */
import { expect } from "chai";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";

describe("the model file of docs/first-session.md", () => {
	const page = readFileSync(join(projectRoot, "docs/first-session.md"), "utf8");
	const section = /^## With a model$([^]*?)^## /m.exec(page)?.[1] ?? "";
	const folder = mkdtempSync(join(tmpdir(), "atelier-model-file-"));

	after(() => rmSync(folder, { recursive: true, force: true }));

	it("is accepted, and has a provider with a key and prices and one without", () => {
		const [, example = ""] = /^```yaml\n([^]*?)^```$/m.exec(section) ?? [];
		const file = join(folder, "models.yaml");
		writeFileSync(file, example);
		const { providers, models } = readModelCatalogue(file);
		expect(providers.map(({ location, key_env }) => [location, key_env])).to.deep.equal([
			["cloud", "OPENROUTER_API_KEY"],
			["local", ""],
		]);
		expect(models.map(({ prices }) => prices !== undefined)).to.deep.equal([true, false]);
	});

	it("has a row for each member", () => {
		const { providers, models, ...rest } = readModelCatalogue("config/models.yaml");
		const optional = ["aliases", "prices", "vram_required"];
		const members = [providers, models].flatMap((list) => list.flatMap((one) => Object.keys(one)));
		const names = new Set([...Object.keys(rest), ...members, ...optional]);
		const rows = section.split("\n").filter((line) => line.startsWith("| `"));
		const cells = rows.map((row) => row.split("|")[1] ?? "").join();
		expect([...names].filter((name) => !cells.includes(`\`${name}\``))).to.deep.equal([]);
	});
});
