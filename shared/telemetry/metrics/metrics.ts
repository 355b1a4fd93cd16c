/**
 * The metrics of one process. Counters and histograms are plain additions in memory; everything else is read when
 * somebody scrapes.
 */
import { sleep } from "#shared/base/clock.ts";
import { declarationOf, defaultBuckets, type MetricName, metricTable, type NameOf } from "./metric-table.ts";

/** The values of the labels of a series, in the order of the declaration. */
export type Labels = readonly string[];

export interface Sample {
	readonly labels: Labels;
	readonly value: number;
}

/** One series of a counter. */
export class CounterCell {
	value = 0;

	add(amount = 1): void {
		this.value += amount;
	}
}

/** One series of a histogram. */
export class HistogramCell {
	readonly bounds: readonly number[];
	/** The counts by bucket, each without those of the buckets before it; the last one has no bound. */
	readonly counts: number[];
	sum = 0;

	constructor(bounds: readonly number[]) {
		this.bounds = bounds;
		this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
	}

	/** @param value In the unit of the metric; durations are in seconds. */
	observe(value: number): void {
		const { bounds, counts } = this;
		let bucket = 0;
		while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket++;
		counts[bucket] = (counts[bucket] ?? 0) + 1;
		this.sum += value;
	}
}

/** The series of one metric. A caller on a busy path keeps the cells that it uses. */
class Family<Cell> {
	readonly name: MetricName;
	readonly #newCell: () => Cell;
	readonly #cells = new Map<string, { labels: Labels; cell: Cell }>();

	constructor(name: MetricName, newCell: () => Cell) {
		this.name = name;
		this.#newCell = newCell;
	}

	/** Returns the series with these values of labels. Beyond the bound of series, all values become `other`. */
	at(...labels: Labels): Cell {
		const key = labels.join("\n");
		const known = this.#cells.get(key);
		if (known) return known.cell;
		if (this.#cells.size >= maxSeries && labels.some((label) => label !== other))
			return this.at(...labels.map(() => other));
		const cell = this.#newCell();
		this.#cells.set(key, { labels, cell });
		return cell;
	}

	series(): Iterable<{ readonly labels: Labels; readonly cell: Cell }> {
		return this.#cells.values();
	}
}

/** The most series of one metric; the busiest one has as many as there are actions and outcomes. */
const maxSeries = 2_000;
const other = "other";

/** The time in which the value of a sampled metric has to be there, in milliseconds. */
const sampleMs = 1_000;

/** The ways to read the values of a metric at a scrape. */
export type Sampler = () => number | readonly Sample[] | Promise<number | readonly Sample[]>;

/** The metrics of one process, which its parts share. */
export class Metrics {
	readonly #counters = new Map<MetricName, Family<CounterCell>>();
	readonly #histograms = new Map<MetricName, Family<HistogramCell>>();
	readonly #samplers = new Map<MetricName, Sampler[]>();

	counter(name: NameOf<"counter">): Family<CounterCell> {
		return familyIn(this.#counters, name, () => new CounterCell());
	}

	histogram(name: NameOf<"histogram">): Family<HistogramCell> {
		const { buckets = defaultBuckets } = declarationOf(name);
		return familyIn(this.#histograms, name, () => new HistogramCell(buckets));
	}

	/** Adds a function that is called at each scrape. Several of one metric must have different labels. */
	sample(name: NameOf<"gauge" | "counter">, read: Sampler): void {
		this.#samplers.set(name, [...(this.#samplers.get(name) ?? []), read]);
	}

	counters(): Iterable<Family<CounterCell>> {
		return this.#counters.values();
	}

	histograms(): Iterable<Family<HistogramCell>> {
		return this.#histograms.values();
	}

	/** Reads all sampled metrics at once. One that fails, or takes too long, is left out and counted. */
	async samples(): Promise<Map<MetricName, readonly Sample[]>> {
		const read = [...this.#samplers].map(async ([name, samplers]) => {
			const found = await Promise.all(samplers.map((sampler) => this.#read(name, sampler)));
			return [name, found.flat()] as const;
		});
		return new Map(await Promise.all(read));
	}

	async #read(name: MetricName, sampler: Sampler): Promise<readonly Sample[]> {
		const done = new AbortController();
		const late = sleep(sampleMs, done.signal).then(() => {
			throw new Error("too late");
		});
		// The reason is of no use to who scrapes; the metric itself shows that its value is missing.
		late.catch(() => {});
		try {
			const found = await Promise.race([Promise.resolve(sampler()), late]);
			return typeof found === "number" ? [{ labels: [], value: found }] : found;
		} catch {
			this.counter("atelier_metric_failures_total").at(name).add();
			return [];
		} finally {
			done.abort();
		}
	}
}

function familyIn<Cell>(families: Map<MetricName, Family<Cell>>, name: MetricName, newCell: () => Cell): Family<Cell> {
	const known = families.get(name);
	if (known) return known;
	const family = new Family(name, newCell);
	families.set(name, family);
	// A metric without labels is shown from the beginning, so that its first change is seen.
	if (metricTable[name].labels.length === 0) family.at();
	return family;
}
