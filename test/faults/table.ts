/** A fault run as text. */
import type { ControlReport } from "./controls.ts";
import type { FaultReport } from "./fault-run.ts";
import type { Verdict } from "./testbed.ts";

/** The number of sentences that are shown of a broken invariant. */
const shown = 5;

export function table(report: FaultReport): string {
	const { seed, acknowledged, archived, bookings, events, reconnects, settledMs, longestPassingMs, slowestAnswerMs } =
		report;
	return [
		`Seed ${seed}: ${acknowledged} commands acknowledged; ${events} events over ${reconnects} connections`,
		`${archived} sessions archived by archive-stopped; ${bookings} bookings; slowest answer ${slowestAnswerMs} ms`,
		`Settled ${settledMs} ms after the last restart; longest in a passing status ${longestPassingMs} ms`,
		"Faults",
		...counted(report.faults),
		...report.leftOut.map((kind) => `   NOT TRIED, nothing may be mounted here: ${kind}`),
		"Failpoints, and how often the platform died there",
		...counted(report.failpoints),
		"Invariants",
		...checked(report.invariants),
	].join("\n");
}

export function controlTable({ name, breaks, with: sound, without, works }: ControlReport): string {
	const verdict = works ? "works" : `DOES NOT WORK, must break ${breaks} and nothing with the protection`;
	return [
		`  ${verdict}: ${name}`,
		...(Object.keys(sound).length > 0 ? ["    with the protection", ...checked(sound)] : []),
		"    without it",
		...checked(without),
	].join("\n");
}

function counted(counts: Record<string, number>): string[] {
	return Object.entries(counts).map(([name, count]) => `  ${String(count).padStart(4)}  ${name}`);
}

function checked(invariants: Verdict): string[] {
	return Object.entries(invariants).flatMap(([name, wrong]) => [
		`  ${wrong.length === 0 ? "holds" : "BROKEN"}  ${name}`,
		...wrong.slice(0, shown).map((sentence) => `          ${sentence}`),
	]);
}
