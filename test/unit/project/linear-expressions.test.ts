import { expect } from "chai";
import { globSync, readFileSync } from "node:fs";
import { projectRoot } from "#shared/base/project-root.ts";
import { isLinear } from "../../support/machine/time-ratio.ts";

/** Expressions that only meet a text whose length is already bounded. */
const bounded = new Map([["/-+$/", "the first 63 characters of a name, at most"]]);

/** The shorter lengths show cubic time and worse before it blocks everything. */
const lengths = [200, 2_000, 32_000];

const product = "{services,shared,agent,cli}/**/*.ts";

/** A literal in a place where an expression may begin; anything else fails to compile and is left out. */
const literal = /(?<=(?:[(,=:?[!&|{};>]|return)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([a-z]*)/g;
const patternKey = /pattern: ("(?:[^"\\]|\\.)*")/g;

interface Expression {
	readonly place: string;
	readonly form: RegExp;
}

function expressions(): Expression[] {
	const files = globSync(product, { cwd: projectRoot });
	return files.flatMap((place) => {
		const text = readFileSync(`${projectRoot}/${place}`, "utf8");
		const literals = [...text.matchAll(literal)].map(([, source = "", flags = ""]) => compiled(source, flags));
		const patterns = [...text.matchAll(patternKey)].map(([, json = ""]) => compiled(JSON.parse(json), ""));
		return [...literals, ...patterns].flatMap((form) => (form ? [{ place, form }] : []));
	});
}

function compiled(source: string, flags: string): RegExp | undefined {
	try {
		return new RegExp(source, flags);
	} catch {
		return undefined;
	}
}

/** The plain text at the beginning of the expression, so that the test reaches what follows it. */
function plainStart({ source }: RegExp): string {
	const [start = ""] = /^\^?((?:\\[/.$-]|[\w /:;,=-](?![*+?{]))*)/.exec(source) ?? [];
	return start.replace(/^\^/, "").replaceAll(/\\(.)/g, "$1");
}

const units = [
	" ",
	"\t",
	"\n",
	"\r",
	"a",
	"A",
	"0",
	"-",
	"_",
	".",
	"/",
	":",
	",",
	"@",
	"`",
	"'",
	"=",
	"\0",
	"$",
	"\ud800",
];
const pairs = [
	"a ",
	" a",
	"a.",
	".a",
	"a/",
	"a:",
	"a@",
	"a,",
	", ",
	"0.",
	"::",
	"//a",
	"\r\n",
	" A0",
	"{a",
	":a ",
	"-a",
];
const ends = ["", "\0!", "\n!", "x"];

/** Returns the first text for which the expression takes more than linear time; undefined when there is none. */
function slowText(form: RegExp): string | undefined {
	for (const unit of [...units, ...pairs])
		for (const end of ends)
			for (const start of new Set(["", plainStart(form)])) {
				const text = (characters: number) => start + unit.repeat(characters / unit.length) + end;
				if (lengths.some((characters) => !isLinear(searchFor(form), text, characters))) return `${start}${unit}…${end}`;
			}
	return undefined;
}

function searchFor(form: RegExp): (text: string) => unknown {
	return (text) => text.replace(form, "");
}

describe("expressions", function () {
	this.timeout(120_000);

	it("take linear time for any text (M1)", () => {
		const found = expressions();
		expect(found.length).to.be.above(110);
		const slow = found
			.filter(({ form }) => !bounded.has(String(form)))
			.flatMap(({ place, form }) => {
				const text = slowText(form);
				return text === undefined ? [] : [`${place}: ${form} with ${JSON.stringify(text)}`];
			});
		expect(slow).to.deep.equal([]);
	});
});
