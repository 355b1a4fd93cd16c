/** Selects the test files of a run: the requested ones, without those whose programs are missing. */
import { isQuick, needsOf } from "./test-needs.ts";

/** The kinds of runs: `quick` is `npm test`, `rest` is everything that it omits. */
export type Selection = "all" | "quick" | "rest";

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
	const asked = every.filter((file) => selection === "all" || isQuick(needsOf(file)) === (selection === "quick"));
	const needed = new Set(asked.flatMap((file) => needsOf(file).programs));
	const missing = [...needed].filter((program) => !without.includes(program) && !isThere(program));
	const unusable = [...missing, ...without];
	const files = asked.filter((file) => !needsOf(file).programs.some((program) => unusable.includes(program)));
	// Files that `rest` omits need not be reported, because `npm test` runs them.
	const others = selection === "rest" ? asked : every;
	return { files, leftOut: others.filter((file) => !files.includes(file)), missing };
}
