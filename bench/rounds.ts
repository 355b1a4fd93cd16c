/** Measures several subjects in turn, A B C A B C, so that a disturbance of the machine affects all of them. */

export type Subjects = Readonly<Record<string, () => Promise<unknown>>>;

/** The samples of each subject. */
type Samples<S extends Subjects> = { [K in keyof S]: Awaited<ReturnType<S[K]>>[] };

/** Runs one warm-up round and then `rounds` measured ones. Returns the samples of each subject. */
export async function interleaved<const S extends Subjects>(subjects: S, rounds: number): Promise<Samples<S>> {
	const names = Object.keys(subjects) as (keyof S & string)[];
	const samples = Object.fromEntries(names.map((name) => [name, [] as unknown[]])) as Samples<S>;
	for (let round = 0; round <= rounds; round++) {
		for (const name of names) {
			const sample = (await subjects[name]!()) as Samples<S>[typeof name][number];
			if (round > 0) samples[name].push(sample);
		}
	}
	return samples;
}

export function median(values: readonly number[]): number {
	return quantile(values, 0.5);
}

/** Returns a quantile by nearest rank. @param q The quantile from 0 to 1. */
export function quantile(values: readonly number[], q: number): number {
	if (values.length === 0) throw new RangeError("There is no quantile of nothing");
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN;
}
