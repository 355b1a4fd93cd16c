/** A name is exported because another file uses it; nobody has to look for users of a name that has none. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const exported = /^export (?:async )?(?:function\*?|class|const) ([\w$]+)/gm;
const importing =
	/(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\* as [\w$]+|\{([^}]*)\})\s*from\s*"([#.][^"]+)"/g;
const loading = /import\(\s*"([#.][^"]+)"/g;
/** An adapter is named in a configuration, as `<module>#<name>`. */
const adapter = /#([A-Z]\w+)/g;

function pathOf(file: string, specifier: string): string {
	return specifier.startsWith("#") ? specifier.slice(1) : normalize(join(dirname(file), specifier));
}

function namesIn(list: string): string[] {
	return list.split(",").flatMap((member) => /^(?:type )?([\w$]+)/.exec(member.trim())?.[1] ?? []);
}

/** Values that no other file imports, as `path: name`. Schemas of contracts are values that belong to their types. */
function unusedIn(texts: ReadonlyMap<string, string>): string[] {
	const used = new Set<string>();
	for (const [file, text] of texts) {
		for (const [, names, from = ""] of text.matchAll(importing))
			for (const name of names === undefined ? ["*"] : namesIn(names)) used.add(`${pathOf(file, from)}: ${name}`);
		for (const [, from = ""] of text.matchAll(loading)) used.add(`${pathOf(file, from)}: *`);
		for (const [, name = ""] of text.matchAll(adapter)) used.add(name);
	}
	const checked = [...texts].filter(([file]) => isChecked(file) && !used.has(`${file}: *`));
	return checked.flatMap(([file, text]) => {
		const names = [...text.matchAll(exported)].map(([, name = ""]) => name);
		return names.filter((name) => !used.has(name) && !used.has(`${file}: ${name}`)).map((name) => `${file}: ${name}`);
	});
}

/** The process loads what each service folder composes by its path. */
function isChecked(file: string): boolean {
	return (
		/^(?:agent|cli|host|services|shared|test)\/.*\.ts$/.test(file) &&
		!file.startsWith("shared/contracts/") &&
		basename(file) !== "compose.ts"
	);
}

describe("exported values", () => {
	const files = execFileSync(
		"git",
		["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.yaml", "*.js"],
		{
			cwd: projectRoot,
			encoding: "utf8",
		},
	).split("\n");
	const texts = new Map(
		files.filter((file) => file !== "").map((file) => [file, readFileSync(join(projectRoot, file), "utf8")]),
	);

	it("are imported by another file, or named in a configuration", () => {
		expect(unusedIn(texts)).to.deep.equal([]);
	});

	it("are found where nobody uses them", () => {
		const planted = new Map([
			[
				"agent/a.ts",
				"export const one = 1;\nexport function two() {}\nexport class Three {}\nexport const four = one;\n",
			],
			["agent/b.ts", 'import { one, type Three } from "./a.ts";\n'],
			["cli/c.ts", 'import { two } from "../agent/other.ts";\nexport class Five {}\nexport class Six {}\n'],
			["config/default.yaml", "adapter: cli/c.ts#Five\n"],
		]);
		expect(unusedIn(planted)).to.deep.equal(["agent/a.ts: two", "agent/a.ts: four", "cli/c.ts: Six"]);
	});
});
