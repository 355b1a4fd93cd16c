/** Selects the test files of a run: the requested ones, without those whose programs are missing. */
import { isQuick, needsOf } from "./test-needs.ts";

/**
 * The kinds of runs: `quick` is `npm test`, `rest` is everything that it omits, without the tests of the night; `all` is
 * both of them.
 */
export type Selection = "all" | "quick" | "rest" | "night";

export interface TestChoice {
	readonly files: readonly string[];
	readonly leftOut: readonly string[];
	/** The programs that are needed, missing and not excused. */
	readonly missing: readonly string[];
}

export interface Asked {
	readonly selection: Selection;
	/** The programs that may be missing; tests that need them are omitted. */
	readonly without: readonly string[];
}

/** Returns the choice. @param every All existing test files. */
export function chosenTests(
	every: readonly string[],
	{ selection, without }: Asked,
	isThere: (program: string) => boolean,
): TestChoice {
	const asked = every.filter((file) => (selection === "all" ? runOf(file) !== "night" : runOf(file) === selection));
	const needed = new Set(asked.flatMap((file) => needsOf(file).programs));
	const missing = [...needed].filter((program) => !without.includes(program) && !isThere(program));
	const unusable = [...missing, ...without];
	const files = asked.filter((file) => !needsOf(file).programs.some((program) => unusable.includes(program)));
	// Files that `npm test` runs, and the night beside it, need not be reported by the others.
	const others =
		selection === "rest" ? every.filter((file) => runOf(file) !== "quick") : selection === "night" ? asked : every;
	return { files, leftOut: others.filter((file) => !files.includes(file)), missing };
}

/** Returns the run that the test belongs to. */
function runOf(file: string): Exclude<Selection, "all"> {
	const needs = needsOf(file);
	if (needs.night !== undefined) return "night";
	return isQuick(needs) ? "quick" : "rest";
}
