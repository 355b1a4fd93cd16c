import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";

describe("docs/choosing-an-agent.md", () => {
	const page = readFileSync(join(projectRoot, "docs/choosing-an-agent.md"), "utf8");

	it("has the table that the command prints", () => {
		const args = ["cli/agents.ts", "markdown"];
		const printed = execFileSync(process.execPath, args, { cwd: projectRoot, env: {}, encoding: "utf8" });
		const [, table] = /<!-- agents -->\n([^]*)<!-- \/agents -->/.exec(page) ?? [];
		expect(table).to.equal(printed);
	});
});
