/** The rows of the bench table: each is one promise about speed or size, as a ratio to a baseline of the same run. */

/** The measured and the promised value of one promise. */
export interface Verdict {
	readonly what: string;
	readonly value: number;
	readonly compare: "<=" | ">=";
	readonly target: number;
}

/** The outcome of measuring one row. */
export interface Measured {
	readonly verdicts: readonly Verdict[];
	/** The medians that the verdicts are computed from, with the unit in the name, e.g. `get_per_s`. */
	readonly figures: Readonly<Record<string, number>>;
}

/** One row of the table. */
export interface Row {
	/** The id in the list of targets, e.g. `P1`. */
	readonly id: string;
	readonly title: string;
	measure(): Promise<Measured>;
}

export function isMet({ value, compare, target }: Verdict): boolean {
	return compare === "<=" ? value <= target : value >= target;
}
