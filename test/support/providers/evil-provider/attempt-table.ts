/** Writes what came of the attempts as a table: a row for each way of the evil provider, a column for each adapter. */
import type { Attempt } from "./attempt.ts";
import { scenarios } from "./scenarios/all-scenarios.ts";

/** Returns the table in Markdown; `reading / writing`, with the most calls of one operation in brackets. */
export function attemptTable(attempts: readonly Attempt[]): string {
	const subjects = [...new Set(attempts.map(({ trial }) => trial.subject.name))];
	const tried = new Set(attempts.map(({ trial }) => trial.scenario.name));
	// Attempts end in another order each time.
	const names = scenarios.map(({ name }) => name).filter((name) => tried.has(name));
	const cell = (subject: string, scenario: string): string => {
		const here = attempts.filter(({ trial }) => trial.subject.name === subject && trial.scenario.name === scenario);
		return (["read", "write"] as const)
			.map((kind) => outcomes(here.filter(({ trial }) => trial.operation.kind === kind)))
			.join(" / ");
	};
	return [
		`| The server | ${subjects.join(" | ")} |`,
		`|---|${"---|".repeat(subjects.length)}`,
		...names.map((scenario) => `| ${scenario} | ${subjects.map((subject) => cell(subject, scenario)).join(" | ")} |`),
	].join("\n");
}

function outcomes(attempts: readonly Attempt[]): string {
	const names = new Set(attempts.map(({ outcome }) => outcome.replace(/Error$/, "")));
	return `${[...names].toSorted().join(", ")} (${Math.max(...attempts.map(({ calls }) => calls))})`;
}
