/** Integration definitions in files: edits are seen at once, and a file with a mistake takes no other one with it. */
import { expect } from "chai";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Catalogue } from "#services/integrations/catalogue/catalogue.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { useFolder } from "../../support/use-folder.ts";

const builtIn = join(projectRoot, "config/integrations");

describe("the catalogue of integrations", () => {
	const folder = useFolder();
	let logged: string[];
	let catalogue: Catalogue;

	beforeEach(() => {
		mkdirSync(join(folder(), "own"));
		logged = [];
		catalogue = new Catalogue([builtIn, join(folder(), "own")], { error: (sentence) => logged.push(sentence) });
	});

	function define(file: string, slug: string, name = slug): void {
		const text = `slug: ${slug}\nname: ${name}\nintegration_type: messaging\ncredential_schema: {}\n`;
		writeFileSync(join(folder(), "own", file), text);
	}

	it("has built-in definitions, none of which has a fault", async () => {
		const files = readdirSync(builtIn).length;
		expect((await catalogue.definitions()).size)
			.to.equal(files)
			.and.to.be.above(8);
		expect(logged).to.deep.equal([]);
		rmSync(join(folder(), "own"), { recursive: true });
		expect((await catalogue.definitions()).size, "the configured folder need not be there").to.equal(files);
		expect(logged).to.deep.equal([`There is no folder "${join(folder(), "own")}" (integrations.folder).`]);
	});

	it("has the definitions of the configured folder as they are now, which replace built-in ones", async () => {
		define("one.yaml", "pager");
		define("github.yaml", "github", "Ours");
		const names = async () => (await catalogue.entries()).filter(({ integration_type: t }) => t === "messaging");
		expect((await names()).map(({ name }) => name).toSorted()).to.deep.equal(["Ours", "Telegram", "pager"]);
		rmSync(join(folder(), "own", "github.yaml"));
		define("one.yaml", "pager", "Pager");
		expect((await names()).map(({ name }) => name).toSorted()).to.deep.equal(["Pager", "Telegram"]);
		expect((await catalogue.definitions()).get("github")?.name).to.equal("GitHub");
	});

	it("leaves out files with mistakes and second ones of a slug, and logs each once", async () => {
		writeFileSync(join(folder(), "own", "a.yaml"), "slug: A B\n");
		define("b.yaml", "pager");
		define("c.yaml", "pager", "Second");
		for (let time = 0; time < 2; time++) expect((await catalogue.definitions()).get("pager")?.name).to.equal("pager");
		expect(logged).to.have.length(2);
		expect(logged[0]).to.match(/^Integration file "a\.yaml": line 1, /);
		expect(logged[1]).to.equal('Integration file "c.yaml": "slug": "pager" is the slug of "b.yaml".');
	});

	it("finds the only definition of a type without a slug, and none where there are several", async () => {
		const chosen = async (integration_type: string, adapter = "", slug = "") =>
			(await catalogue.chosen({ integration_type, adapter, slug }))?.slug;
		expect(await chosen("messaging")).to.equal("telegram");
		expect(await chosen("issue_tracker")).to.equal(undefined);
		expect(await chosen("issue_tracker", "linear")).to.equal("linear");
		expect(await chosen("issue_tracker", "", "jira")).to.equal("jira");
		expect(await chosen("none")).to.equal(undefined);
	});
});
