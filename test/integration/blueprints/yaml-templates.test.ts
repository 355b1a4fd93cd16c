/** Templates of a folder that people edit: edits are seen at once, and a file with a mistake takes no other one with it. */
import { expect } from "chai";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { YamlTemplates } from "#services/blueprints/template-sources/yaml.ts";
import { Templates } from "#services/blueprints/templates.ts";
import { failureOf } from "../../support/failure-of.ts";
import { useFolder } from "../../support/use-folder.ts";

describe("templates of a folder", () => {
	const folder = useFolder();
	let logged: string[];
	let templates: Templates;
	const write = (file: string, text: string) => writeFileSync(join(folder(), "templates", file), text);
	const names = async () => (await templates.all()).map(({ name }) => name).join();

	beforeEach(() => {
		mkdirSync(join(folder(), "templates"));
		logged = [];
		const source = new YamlTemplates({ folder: "templates", projectRoot: folder() });
		templates = new Templates(source, { error: (sentence) => logged.push(sentence) });
	});

	it("are there without the folder, which has none, and the log names it with its key once", async () => {
		rmSync(join(folder(), "templates"), { recursive: true });
		expect(await names()).to.equal("");
		expect(await names()).to.equal("");
		const sentence = `There is no folder "${join(folder(), "templates")}" (templates.kwargs.folder)`;
		expect(logged).to.deep.equal([`${sentence}.`]);
		expect(await failureOf(templates.named("a"))).to.include({ message: `Template "a" does not exist. ${sentence}` });
		mkdirSync(join(folder(), "templates"));
		expect(await names()).to.equal("");
		expect(logged).to.have.length(1);
	});

	it("are seen as they are now, after every edit", async () => {
		write("a.yaml", "name: a\nmodel: one\n");
		write("notes.txt", "no template");
		expect(await names()).to.equal("a");
		write("a.yaml", "name: a\nmodel: two\n");
		expect(await templates.named("a")).to.include({ model: "two" });
		write("b.yml", "name: b\n");
		expect(await names()).to.equal("a,b");
		renameSync(join(folder(), "templates", "a.yaml"), join(folder(), "templates", "c.yaml"));
		expect(await names()).to.equal("b,a");
		rmSync(join(folder(), "templates", "b.yml"));
		expect(await names()).to.equal("a");
		expect(logged).to.deep.equal([]);
	});

	it("are left out with a mistake, which is logged once and told to those who name them", async () => {
		write("a.yaml", "name: good\n");
		write("b.yaml", "name: bad\nsetup_scripts: one\n");
		write("c.yaml", "name: [\n");
		expect(await names()).to.equal("good");
		expect(await names()).to.equal("good");
		const [first = "", whole = ""] = logged;
		const second = whole.replace(/\.$/, "");
		expect(logged).to.have.length(2);
		expect(first).to.match(/^Template file "b\.yaml": line 2, "setup_scripts": /);
		// The words that follow begin a new sentence.
		expect(whole).to.match(/^Template file "c\.yaml": .*line 2.*\.$/);
		expect(await failureOf(templates.named("bad"))).to.include({
			code: 404,
			message: `Template "bad" cannot be used. ${first}`,
		});
		expect(await failureOf(templates.named("none"))).to.include({
			message: `Template "none" does not exist; there are: good. ${second}`,
		});
		expect(await failureOf(templates.named("goood"))).to.include({
			message: `Template "goood" does not exist; did you mean "good"? ${second}`,
		});
		write("b.yaml", "name: bad\nsetup_scripts: [one]\n");
		expect(await names()).to.equal("good,bad");
		write("b.yaml", "name: bad\nsetup_scripts: one\n");
		expect(await names()).to.equal("good");
		expect(logged).to.have.length(3);
	});

	it("are those of the first file when two have the same name; a file that is too large or cannot be read is left out", async () => {
		write("a.yaml", "name: twin\nmodel: first\n");
		write("b.yaml", "name: twin\nmodel: second\n---\nname: other\n");
		write("c.yaml", `name: large\ndescription: ${"x".repeat(300_000)}\n`);
		mkdirSync(join(folder(), "templates", "d.yaml"));
		symlinkSync("nowhere", join(folder(), "templates", "e.yaml"));
		expect(await names()).to.equal("twin,other");
		expect(await templates.named("twin")).to.include({ model: "first" });
		expect(logged.map((line) => /"(\w)\.yaml"/.exec(line)?.[1] ?? "").toSorted()).to.deep.equal(["b", "c", "d"]);
	});
});
