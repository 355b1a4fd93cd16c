/** Which test files a run has: those that were asked for, without those whose programs are not there. */
import { isQuick, needsOf } from "./test-needs.ts";

/** `quick` is `npm test`, `rest` is what it leaves out. */
export type Selection = "all" | "quick" | "rest";

export interface TestChoice {
	readonly files: readonly string[];
	readonly leftOut: readonly string[];
	/** Programs that are needed, not there, and not excused. */
	readonly missing: readonly string[];
}

export interface Asked {
	readonly selection: Selection;
	/** Programs that may be missing; tests that need them are left out. */
	readonly without: readonly string[];
}

/** @param every All test files there are. */
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
	// What `rest` does not have is no news: `npm test` has it.
	const others = selection === "rest" ? asked : every;
	return { files, leftOut: others.filter((file) => !files.includes(file)), missing };
}
