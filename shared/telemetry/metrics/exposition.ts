/** Writes the metrics of a process in the text format of Prometheus, version 0.0.4. */
import { declarationOf, type MetricName } from "./metric-table.ts";
import type { HistogramCell, Labels, Metrics } from "./metrics.ts";

export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** Returns the text. Metrics without any series are left out. */
export async function exposition(metrics: Metrics): Promise<string> {
	const samples = await metrics.samples();
	const lines: string[] = [];
	for (const [name, found] of samples) {
		if (found.length > 0)
			lines.push(...head(name), ...found.map(({ labels, value }) => line(name, labelsOf(name), labels, value)));
	}
	for (const { name, series } of [...metrics.counters()].map(shown)) {
		if (series.length > 0 && !samples.has(name))
			lines.push(...head(name), ...series.map(({ labels, cell }) => line(name, labelsOf(name), labels, cell.value)));
	}
	for (const { name, series } of [...metrics.histograms()].map(shown)) {
		if (series.length > 0)
			lines.push(...head(name), ...series.flatMap(({ labels, cell }) => bucketLines(name, labels, cell)));
	}
	return `${lines.join("\n")}\n`;
}

interface Shown<Cell> {
	readonly name: MetricName;
	readonly series: readonly { readonly labels: Labels; readonly cell: Cell }[];
}

function shown<Cell>(family: { name: MetricName; series(): Iterable<Shown<Cell>["series"][number]> }): Shown<Cell> {
	return { name: family.name, series: [...family.series()] };
}

function head(name: MetricName): string[] {
	const { type, meaning, unit } = declarationOf(name);
	return [`# HELP ${name} ${meaning} (${unit})`, `# TYPE ${name} ${type}`];
}

function line(name: string, declared: readonly string[], values: Labels, value: number): string {
	return `${name}${shownLabels(declared, values)} ${shownNumber(value)}`;
}

function labelsOf(name: MetricName): readonly string[] {
	return declarationOf(name).labels;
}

function bucketLines(name: MetricName, labels: Labels, { bounds, counts, sum }: HistogramCell): string[] {
	const declared = labelsOf(name);
	let below = 0;
	const buckets = counts.map((count, index) => {
		below += count;
		const bound = index < bounds.length ? shownNumber(bounds[index] ?? 0) : "+Inf";
		return line(`${name}_bucket`, [...declared, "le"], [...labels, bound], below);
	});
	return [...buckets, line(`${name}_sum`, declared, labels, sum), line(`${name}_count`, declared, labels, below)];
}

function shownLabels(declared: readonly string[], values: Labels): string {
	if (declared.length === 0) return "";
	return `{${declared.map((name, index) => `${name}="${escaped(values[index] ?? "")}"`).join(",")}}`;
}

function escaped(value: string): string {
	return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function shownNumber(value: number): string {
	if (value === Infinity) return "+Inf";
	return value === -Infinity ? "-Inf" : String(value);
}
