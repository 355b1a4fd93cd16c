/** Reads the progress that git writes while it clones. Pure. */

/** One report of git's progress. */
export interface CloneStep {
	/** The present work in git's own words, e.g. `Receiving objects`. */
	readonly work: string;
	/** The finished part of the present work in per cent; absent: git does not know it. */
	readonly percent?: number;
}

/** For example `Receiving objects:  45% (9/20), 1.2 MiB | 3 MiB/s`, also behind `remote: `. */
const form =
	/^(?:remote: )?(Enumerating objects|Counting objects|Compressing objects|Receiving objects|Resolving deltas|Updating files|Filtering content): +(?:(\d{1,3})%)?/;

/** Returns undefined for a line that is no progress. */
export function readCloneStep(line: string): CloneStep | undefined {
	const [, work, percent] = form.exec(line) ?? [];
	if (work === undefined) return undefined;
	return { work, ...(percent !== undefined && { percent: Number(percent) }) };
}
