/** The effect of attacks on the other user, in Markdown. */
import { type Effect, floorMs, type IsolationReport, mayTake } from "./isolation-run.ts";
import { works } from "./victim.ts";

const shown = 3;

export const legend =
	`99th percentile of what the other user does before → during the attack, in ms; **bold** where it is more than ${mayTake} times as long ` +
	`and more than ${works.map((work) => `${floorMs[work]} ms (${work})`).join(", ")} longer.`;

export function table(reports: readonly IsolationReport[]): string {
	const head = ["attack", "finding", ...works, "what failed"];
	return [head, head.map(() => "---"), ...reports.map(row)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function row({ attack, effects, failures }: IsolationReport): string[] {
	const failed = failures.length === 0 ? "nothing" : `${failures.length}: ${failures.slice(0, shown).join("; ")}`;
	const told = failed.replaceAll("|", "/").replaceAll("\n", " ");
	return [`${attack.name}: ${attack.does}`, attack.finding ?? "", ...works.map((work) => cell(effects[work])), told];
}

function cell({ before, during, isBounded }: Effect): string {
	const text = `${before.toFixed(0)} → ${during.toFixed(0)}`;
	return isBounded ? text : `**${text}**`;
}
