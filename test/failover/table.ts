/** A failover run as text, and as a section of the documentation. */
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { keepSection } from "../support/document-section.ts";
import type { FailoverReport, Round } from "./failover-run.ts";

/** The longest outage of the stream after a majority is possible again. */
const backWithinMs = 15_000;

const head = ["round", "kind", "elected ms", "stream back ms", "resets", "gaps", "doubles", "lost", "holes"];

export function isBroken({ gaps, doubles, lost, holes, backMs }: Round, patience = 1): boolean {
	return gaps + doubles + lost + holes > 0 || backMs > backWithinMs * patience;
}

export function row(round: Round, index: number): string {
	const { kind, electedMs, backMs, resets, gaps, doubles, lost, holes } = round;
	return `| ${[index + 1, kind, electedMs, backMs, resets, gaps, doubles, lost, holes].join(" | ")} |`;
}

export function table({ seed, acknowledged, rounds }: FailoverReport): string {
	const slowest = Math.max(...rounds.map(({ backMs }) => backMs));
	return [
		`Seed ${seed}: ${rounds.length} rounds, ${acknowledged} commands and reports acknowledged; stream back after ${slowest} ms at most.`,
		"",
		`| ${head.join(" | ")} |`,
		`| ${head.map(() => "---").join(" | ")} |`,
		...rounds.map(row),
	].join("\n");
}

/** Writes the table into `docs/evidence/faults.md`. */
export function keepTable(report: FailoverReport): void {
	keepSection(join(projectRoot, "docs/evidence/faults.md"), "failover", `${table(report)}\n`);
}
