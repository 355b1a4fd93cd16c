/** The results of the checks, with a column for each agent: as text, and as a section of the documentation. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { keepSection } from "../support/document-section.ts";

const document = join(projectRoot, "docs/choosing-an-agent.md");

export class AgentsTable {
	readonly #name: string;
	readonly #rows: readonly string[];
	/** The results by agent and row. */
	readonly #columns = new Map<string, Map<string, string>>();

	/** @param name The name of its section of the documentation. */
	constructor(name: string, rows: readonly string[]) {
		this.#name = name;
		this.#rows = rows;
	}

	set(agent: string, row: string, cell: string): void {
		const column = this.#columns.get(agent) ?? new Map<string, string>();
		this.#columns.set(agent, column.set(row, cell));
	}

	text(): string {
		const agents = [...this.#columns.keys()].toSorted();
		const rows = this.#rows.map((row) => [row, ...agents.map((agent) => this.#columns.get(agent)?.get(row) ?? "")]);
		return [["", ...agents], ["---", ...agents.map(() => "---")], ...rows].map(line).join("\n");
	}

	/** Writes the table into the documentation; cells of agents and checks that were not tried are kept. */
	keep(): void {
		const seen = this.#columns;
		const [head = [], , ...rows] = tableIn(readFileSync(document, "utf8"), this.#name);
		const kept = new AgentsTable(this.#name, this.#rows);
		for (const [index, agent] of head.entries())
			if (index > 0) for (const cells of rows) kept.set(agent, cells[0] ?? "", cells[index] ?? "");
		for (const [agent, column] of seen) for (const [row, cell] of column) kept.set(agent, row, cell);
		keepSection(document, this.#name, `\n${kept.text()}\n\n`);
	}
}

function line(cells: readonly string[]): string {
	return `| ${cells.join(" | ")} |`;
}

/** Returns the cells of the lines between the markers. */
function tableIn(text: string, name: string): string[][] {
	const section = text.slice(text.indexOf(`<!-- ${name} -->`), text.indexOf(`<!-- /${name} -->`));
	const lines = section.split("\n").filter((each) => each.startsWith("|"));
	return lines.map((each) =>
		each
			.slice(1, -1)
			.split("|")
			.map((cell) => cell.trim()),
	);
}
