/** The table of status reasons in the page, and the codes that the sources give to sessions. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { failureCodes, type Reason, statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

const rows = "shared/contracts/sessions/status-reasons.ts";
const textOf = (path: string) => readFileSync(join(projectRoot, path), "utf8");

describe("docs/session-life.md", () => {
	it("has the table of reasons", () => {
		const [, table] = /<!-- reasons -->\n([^]*)<!-- \/reasons -->/.exec(textOf("docs/session-life.md")) ?? [];
		const rows = Object.entries<Reason>(statusReasons).map(([code, [sentence, remedy, page]]) => {
			const link = page === undefined ? "" : ` ([${page.replaceAll("-", " ")}](${page}.md))`;
			return `| \`${code}\` | ${failureCodes.has(code) ? "yes" : ""} | ${sentence} | ${remedy}${link} |\n`;
		});
		expect(table).to.equal(`| code | failed | it means | do this |\n|---|---|---|---|\n${rows.join("")}`);
	});
});

describe("the table of status reasons", () => {
	it("has sentences that begin with a capital and have no period", () => {
		for (const [sentence, remedy] of Object.values(statusReasons))
			for (const text of [sentence, remedy]) expect(text).to.match(/^[A-Z].*[^.]$/);
	});

	it("has only codes that something sets", () => {
		const makers = trackedFiles("agent/*.ts", "services/sessions/*.ts", "services/pod-manager/*.ts", "shared/*.ts");
		const sources = makers
			.filter((file) => file !== rows)
			.map(textOf)
			.join("\n");
		expect(Object.keys(statusReasons).filter((code) => !sources.includes(`"${code}"`))).to.deep.equal([]);
	});

	it("has each code that a failure or a reason of the sessions service is made of", () => {
		const files = trackedFiles(
			"agent/*.ts",
			"services/sessions/record/*.ts",
			"services/sessions/claims/*.ts",
			"services/pod-manager/pod-runtimes/*.ts",
		);
		const codes = files.flatMap((file) => [
			...textOf(file).matchAll(/(?:LaunchFailure\(\s*|\bcode: )"([A-Z]+_[A-Z_]*)"/g),
		]);
		const known: ReadonlySet<string> = new Set([...Object.keys(statusReasons), "PLATFORM_AWAY"]);
		expect(codes.map(([, code = ""]) => code)).to.include.members(["CLONE_FAILED", "AGENT_CRASHED", "LAUNCH_WAITS"]);
		expect(codes.map(([, code = ""]) => code).filter((code) => !known.has(code))).to.deep.equal([]);
	});
});
