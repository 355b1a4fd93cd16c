/** A row of the bench table: one promise about speed or size, as a ratio to a baseline of the same run. */

/** What was found of one promise, and what was promised. */
export interface Verdict {
	readonly what: string;
	readonly value: number;
	readonly compare: "<=" | ">=";
	readonly target: number;
}

export interface Measured {
	readonly verdicts: readonly Verdict[];
	/** Medians the verdicts come from, unit in the name, e.g. `get_per_s`. */
	readonly figures: Readonly<Record<string, number>>;
}

export interface Row {
	/** As in the list of targets, e.g. `P1`. */
	readonly id: string;
	readonly title: string;
	measure(): Promise<Measured>;
}

export function isMet({ value, compare, target }: Verdict): boolean {
	return compare === "<=" ? value <= target : value >= target;
}
