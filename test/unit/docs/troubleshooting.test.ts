/** The page for people who look for a code: it has each code that the sources give to a session. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

/** The places where failures of pods and reasons of statuses are made. */
const places = /^(agent\/|services\/sessions\/(record|work)\/|shared\/contracts\/sessions\/session-work\.ts$)/;
const forms = [/LaunchFailure\(\s*"([A-Z_]+)"/g, /\bcode: "([A-Z]+_?[A-Z_]*)"/g, /: "([A-Z]+_TIMEOUT)"/g];

describe("docs/troubleshooting.md", () => {
	const page = readFileSync(join(projectRoot, "docs/troubleshooting.md"), "utf8");
	const sources = trackedFiles().filter((file) => places.test(file));
	const codes = new Set(
		sources.flatMap((file) => {
			const text = readFileSync(join(projectRoot, file), "utf8");
			return forms.flatMap((form) => [...text.matchAll(form)].map(([, code = ""]) => code));
		}),
	);

	it("has an entry for each code that a session can have", () => {
		expect([...codes]).to.include.members(["CLONE_FAILED", "POD_READY", "START_TIMEOUT", "POD_LOST"]);
		const missing = [...codes].filter((code) => code !== "ETIMEDOUT" && !page.includes(`\`${code}\``));
		expect(missing).to.deep.equal([]);
	});
});
