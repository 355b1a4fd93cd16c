/** Every link between the project's documents, and every page of a decision that code or a document names, exists. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** The target of a Markdown link; addresses of the web are left out. */
const link = /\]\((?!\w+:)([^)\s]+)\)/g;
const decisionPage = /docs\/decisions\/[\w.-]+\.md/g;
/** A fenced block or a span of code, which shows a link rather than being one. */
const code = /```[^]*?```|`[^`\n]*`/g;

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
	const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
	return text.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}

function anchorsOf(page: string): string[] {
	return [...page.replace(/```[^]*?```/g, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** The links of a page that lead nowhere. */
function brokenLinks(file: string, page: string): string[] {
	return [...page.replace(code, "").matchAll(link)].flatMap(([, target = ""]) => {
		const [path = "", anchor] = target.split("#");
		const found = join(projectRoot, path === "" ? file : normalize(join(dirname(file), path)));
		if (!existsSync(found)) return [target];
		if (anchor === undefined) return [];
		return anchorsOf(path === "" ? page : readFileSync(found, "utf8")).includes(anchor) ? [] : [target];
	});
}

describe("the links of documents", () => {
	const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
		cwd: projectRoot,
		encoding: "utf8",
	});
	const files = listed.split("\n").filter((file) => file !== "" && existsSync(join(projectRoot, file)));
	const pages = files.filter((file) => file.endsWith(".md"));

	it("lead to files and headings that exist", () => {
		const broken = pages.flatMap((file) =>
			brokenLinks(file, readFileSync(join(projectRoot, file), "utf8")).map((target) => `${file}: ${target}`),
		);
		expect(broken).to.deep.equal([]);
		expect(pages).to.have.length.above(40);
	});

	it("name pages of decisions that exist, also in the code", () => {
		const texts = files.filter((file) => /\.(?:ts|md|sh|ya?ml)$/.test(file));
		const missing = texts.flatMap((file) =>
			[...readFileSync(join(projectRoot, file), "utf8").matchAll(decisionPage)]
				.filter(([page]) => !existsSync(join(projectRoot, page)))
				.map(([page]) => `${file}: ${page}`),
		);
		expect(missing).to.deep.equal([]);
	});

	it("are noticed when they are broken", () => {
		const page = "# Words of the field\n[a](README.md#licence) [b](absent.md) [c](#words-of-the-field) [d](#absent)";
		expect(brokenLinks("README.md", page)).to.deep.equal(["absent.md", "#absent"]);
	});
});
