/** Stores the measured figures with place and time in `bench/results`. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { Measured, Row } from "./row.ts";

export function recordResult({ id, title }: Row, { verdicts, figures }: Measured): void {
	const commit = execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
	const machine = { processors: cpus().length, node: process.version };
	const result = { id, title, commit, date: new Date().toISOString(), machine, verdicts, figures };
	const file = fileURLToPath(new URL(`results/${id.toLowerCase()}.json`, import.meta.url));
	writeFileSync(file, `${JSON.stringify(result, rounded, "\t")}\n`);
}

/** Rounds figures to four digits, which is more than the noise justifies. */
function rounded(_name: string, value: unknown): unknown {
	return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
