/** Renders the table of metrics as Markdown for docs/metrics.md. */
import { type MetricDeclaration, metricTable } from "./metric-table.ts";

export function metricMarkdown(): string {
	const rows = Object.entries<MetricDeclaration>(metricTable).map(([name, { type, unit, labels, meaning }]) => [
		`\`${name}\``,
		type,
		unit,
		labels.map((label) => `\`${label}\``).join(", "),
		meaning,
	]);
	const lines = [["Name", "Type", "Unit", "Labels", "Meaning"], ["---", "---", "---", "---", "---"], ...rows];
	return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
