/** The runs with a cluster as text, and as sections of the documentation. */
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { keepSection } from "../../support/document-section.ts";
import type { ClusterReport } from "./cluster-run.ts";
import { isBad, type PowerCut, type PowerCutReport } from "./power-cut.ts";

const cutHead = ["cut", "agents too", "acknowledged before", "ready ms", "converged ms", "wrong"];

export function clusterTable(report: ClusterReport): string {
	const { seed, faults, invariants, wrong } = report;
	const count = Object.values(faults).reduce((sum, times) => sum + times, 0);
	return [
		`Seed ${seed}: ${count} faults; ${report.acknowledged} commands and ${report.bookings} bookings acknowledged, ${report.crowds} commands sent by eight clients at once, ${report.events} events over ${report.reconnects} connections.`,
		`Settled ${report.settledMs} ms after the last fault; longest in a passing status ${report.longestPassingMs} ms, slowest answer ${report.slowestAnswerMs} ms, slowest start of a process ${report.slowestRestartMs} ms.`,
		rows(["fault", "times"], Object.entries(faults)),
		rows(
			["invariant", "verdict"],
			Object.entries(invariants).map(([name, broken]) => [name, broken.length === 0 ? "holds" : "BROKEN"]),
		),
		...Object.values(invariants).flat(),
		...wrong,
	].join("\n\n");
}

export function cutRow(cut: PowerCut, number: number): string {
	const { withAgents, acknowledged, readyMs, convergedMs, wrong } = cut;
	const cells = [number, withAgents ? "yes" : "no", acknowledged, readyMs, convergedMs, wrong.join("; ") || "nothing"];
	return `| ${cells.join(" | ")} |`;
}

export function powerCutTable({ seed, cuts }: PowerCutReport): string {
	const slowest = Math.max(...cuts.map(({ convergedMs }) => convergedMs));
	const bad = cuts.filter((cut) => isBad(cut)).length;
	return [
		`Seed ${seed}: ${cuts.length} power cuts, ${bad} of them with something lost or late; converged after ${slowest} ms at most.`,
		"",
		`| ${cutHead.join(" | ")} |`,
		`| ${cutHead.map(() => "---").join(" | ")} |`,
		...cuts.map((cut, index) => cutRow(cut, index + 1)),
	].join("\n");
}

/** Writes a table into `docs/evidence/faults.md`. @param name The place in the document. */
export function keepClusterTable(name: "cluster" | "power cuts", table: string): void {
	keepSection(join(projectRoot, "docs/evidence/faults.md"), name, `${table}\n`);
}

function rows(head: readonly string[], body: readonly (readonly unknown[])[]): string {
	return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.map(String).join(" | ")} |`).join("\n");
}
