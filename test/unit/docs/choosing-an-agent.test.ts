import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { agentChecks } from "../../agents/agent-checks.ts";

describe("docs/choosing-an-agent.md", () => {
	const page = readFileSync(join(projectRoot, "docs/choosing-an-agent.md"), "utf8");

	it("has the table that the command prints", () => {
		const args = ["cli/agents.ts", "markdown"];
		const printed = execFileSync(process.execPath, args, { cwd: projectRoot, env: {}, encoding: "utf8" });
		const [, table] = /<!-- agents -->\n([^]*)<!-- \/agents -->/.exec(page) ?? [];
		expect(table).to.equal(printed);
	});

	it("has the result of each check, and only good ones for a proven agent", () => {
		const [, seen = ""] = /<!-- seen -->\n([^]*)<!-- \/seen -->/.exec(page) ?? [];
		const [head = [], , ...rows] = seen.split("\n").flatMap((line) => (line.startsWith("|") ? [cellsOf(line)] : []));
		expect(rows.map(([row]) => row)).to.deep.equal(agentChecks.map(({ row }) => row));
		for (const { id, proven } of readAgentRecords().values()) {
			const column = rows.map((cells) => cells[head.indexOf(id)]);
			const isGood = column.every((cell) => cell !== undefined && cell !== "" && cell !== "FAILED");
			expect(isGood, `${id}: ${column.join(", ")}`).to.equal(proven);
		}
	});
});

function cellsOf(line: string): string[] {
	return line
		.slice(1, -1)
		.split("|")
		.map((cell) => cell.trim());
}
