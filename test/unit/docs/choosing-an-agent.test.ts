import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { agentChecks } from "../../agents/agent-checks.ts";
import { containedChecks, namelessRow } from "../../agents/contained-checks.ts";

describe("docs/choosing-an-agent.md", () => {
	const page = readFileSync(join(projectRoot, "docs/choosing-an-agent.md"), "utf8");

	it("has the table that the command prints", () => {
		const args = ["cli/agents.ts", "markdown"];
		const printed = execFileSync(process.execPath, args, { cwd: projectRoot, env: {}, encoding: "utf8" });
		const [, table] = /<!-- agents -->\n([^]*)<!-- \/agents -->/.exec(page) ?? [];
		expect(table).to.equal(printed);
	});

	it("has the result of each check, and only good ones for a proven agent", () => {
		const { head, rows } = tableOf("seen");
		expect(rows.map(([row]) => row)).to.deep.equal(agentChecks.map(({ row }) => row));
		for (const { id, proven } of readAgentRecords().values()) {
			const column = rows.map((cells) => cells[head.indexOf(id)]);
			expect(column.every(isGood), `${id}: ${column.join(", ")}`).to.equal(proven);
		}
	});

	it("has a good result of each check in a container for every agent", () => {
		const { head, rows } = tableOf("contained");
		expect(rows.map(([row]) => row)).to.deep.equal([...containedChecks.map(({ row }) => row), namelessRow]);
		for (const id of readAgentRecords().keys()) {
			const column = rows.map((cells) => cells[head.indexOf(id)]);
			expect(column.every(isGood), `${id}: ${column.join(", ")}`).to.equal(true);
		}
	});

	/** Returns the cells of the first line of a table, and those of the lines below its head. */
	function tableOf(name: string): { head: string[]; rows: string[][] } {
		const [, section = ""] = page.split(`<!-- ${name} -->\n`);
		const [text = ""] = section.split(`<!-- /${name} -->`);
		const [head = [], , ...rows] = text.split("\n").flatMap((line) => (line.startsWith("|") ? [cellsOf(line)] : []));
		return { head, rows };
	}
});

function isGood(cell: string | undefined): boolean {
	return cell !== undefined && cell !== "" && cell !== "FAILED";
}

function cellsOf(line: string): string[] {
	return line
		.slice(1, -1)
		.split("|")
		.map((cell) => cell.trim());
}
