/**
 * `npm run bench [-- P1 P3 …] [--record]` measures every promise about speed and size and prints the table; with
 * `--record` it also stores the figures in bench/results. docs/benchmarks.md explains the numbers.
 */
import { loadavg } from "node:os";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { recordResult } from "./record.ts";
import { isMet, type Measured, type Row } from "./row.ts";
import { rows } from "./rows.ts";

const commandTable = {
	usage: "npm run bench [-- <row>... --record]",
	summary: "Measures the promises about speed and size, and prints the table (docs/benchmarks.md).",
	operands: { help: { "<row>": `one of ${rows.map(({ id }) => id).join(", ")}; default: all of them` } },
	options: { record: { type: "boolean", help: "keeps the figures in bench/results" } },
} as const;

const { values, positionals: asked } = readCommandLine(commandTable);
const unknown = asked.filter((id) => !rows.some((row) => row.id === id));
if (unknown.length > 0)
	refuseCommandLine(
		commandTable,
		`There is no row ${unknown.join(", ")}; there are ${rows.map(({ id }) => id).join(", ")}`,
	);

function say(row: Row, { verdicts, figures }: Measured): void {
	for (const verdict of verdicts) {
		const { what, value, compare, target } = verdict;
		const mark = isMet(verdict) ? "met   " : "MISSED";
		console.log(`${row.id.padEnd(4)} ${mark} ${rounded(value).padStart(9)} ${compare} ${target}  ${what}`);
	}
	const shown = Object.entries(figures).map(([name, value]) => `${name} ${rounded(value)}`);
	console.log(`     ${row.title}\n     ${shown.join(" · ")}`);
}

function rounded(value: number): string {
	return value >= 1_000 ? Math.round(value).toString() : value.toPrecision(3);
}

console.log(
	`Load of the machine before: ${loadavg()
		.map((each) => each.toFixed(1))
		.join(" ")}`,
);
let missed = 0;
for (const row of rows.filter(({ id }) => asked.length === 0 || asked.includes(id))) {
	const measured = await row.measure();
	say(row, measured);
	missed += measured.verdicts.filter((verdict) => !isMet(verdict)).length;
	if (values.record) recordResult(row, measured);
}
console.log(missed === 0 ? "Every target is met" : `${missed} targets are missed`);
