/** A fault run in words. */
import type { FaultReport } from "./fault-run.ts";

/** Sentences shown of an invariant that does not hold. */
const shown = 5;

export function table({ seed, faults, invariants, acknowledged, events, reconnects, settledMs }: FaultReport): string {
	const rows = Object.entries(faults).map(([kind, count]) => `  ${String(count).padStart(4)}  ${kind}`);
	const checks = Object.entries(invariants).flatMap(([name, wrong]) => [
		`  ${wrong.length === 0 ? "holds" : "BROKEN"}  ${name}`,
		...wrong.slice(0, shown).map((sentence) => `          ${sentence}`),
	]);
	return [
		`Seed ${seed}: ${acknowledged} commands acknowledged; ${events} events over ${reconnects} connections`,
		"Faults",
		...rows,
		`Settled ${settledMs} ms after the last restart`,
		"Invariants",
		...checks,
	].join("\n");
}
