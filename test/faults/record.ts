/** Stores the results of a run: as data for comparisons, and as a section of the documentation. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { keepSection } from "../support/document-section.ts";
import type { ControlReport } from "./controls.ts";
import type { FaultReport } from "./fault-run.ts";

export interface FaultRecord extends FaultReport {
	readonly controls: readonly ControlReport[];
}

/**
 * @param root The folder with `bench/results/faults.json` and `docs/evidence/faults.md`. @throws {Error} when the document has
 * no marks.
 */
export function keepRecord(record: FaultRecord, root = projectRoot): void {
	const folder = join(root, "bench", "results");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "faults.json"), `${JSON.stringify(record, undefined, "\t")}\n`);
	keepSection(join(root, "docs", "evidence", "faults.md"), "record", section(record));
}

/** Returns the section in Markdown. */
export function section(record: FaultRecord): string {
	const { seed, acknowledged, bookings, events, reconnects, settledMs, longestPassingMs, slowestAnswerMs } = record;
	const visited = Object.entries(record.failpoints).filter(([, kills]) => kills > 0);
	const others = Object.keys(record.failpoints).length - visited.length - record.neverVisited.length;
	const broken = Object.keys(record.invariants).filter((name) => record.invariants[name]?.length);
	const parts = [
		`Seed ${seed}: ${acknowledged} commands and ${bookings} bookings acknowledged, ${events} events over ${reconnects} connections.`,
		`Settled ${settledMs} ms after the last restart; longest in a passing status ${longestPassingMs} ms, slowest answer ${slowestAnswerMs} ms.`,
		broken.length === 0 ? "All invariants held." : `Broken: ${broken.join(", ")}.`,
		rows(["fault", "times"], Object.entries(record.faults)),
		rows(["failpoint", "died there"], visited),
		`${others} more failpoints have tests of their own, and this load did not reach them.`,
		...record.neverVisited.map((name) => `Never visited: ${name}.`),
		rows(["control", "broken with it", "broken without it"], record.controls.map(controlRow)),
		...record.leftOut.map((kind) => `Not tried: ${kind}.`),
	];
	return `${parts.join("\n\n")}\n`;
}

function controlRow({ name, with: sound, without }: ControlReport): string[] {
	const names = (verdict: object) => Object.keys(verdict).map((invariant) => invariant.slice(0, 2));
	return [name, names(sound).join(", ") || "nothing", names(without).join(", ") || "nothing"];
}

function rows(head: readonly string[], body: readonly (readonly unknown[])[]): string {
	return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.map(String).join(" | ")} |`).join("\n");
}
