/** The warnings of a session: those of its creation stay, and those that its pod reports belong to one launch. Pure. */

/** The beginning of the warnings that the pod of the last launch had reported when the session began to run. */
const launchLabel = "launch: ";
/** The beginning of those that it has reported since. */
const laterLabel = "while running: ";

/** Returns the sentences that a pod has reported newly, without their labels. */
export function newLaunchWarnings(before: readonly string[], after: readonly string[]): string[] {
	const known = new Set(reportedOf(before));
	return reportedOf(after).filter((sentence) => !known.has(sentence));
}

/**
 * Returns the warnings with those that the pod reports in the place of the earlier ones; undefined when they are the same.
 * @param isRunning Whether the session ran before this report, so that what is new has nothing to do with its start.
 */
export function launchWarnings(
	shown: readonly string[],
	reported: readonly string[],
	isRunning: boolean,
): string[] | undefined {
	const created = shown.filter((sentence) => labelOf(sentence) === undefined);
	const labelled = (sentence: string): string => {
		const isOfLaunch = !isRunning || shown.includes(launchLabel + sentence);
		return (isOfLaunch ? launchLabel : laterLabel) + sentence;
	};
	const warnings = [...created, ...reported.map(labelled)];
	const isSame = warnings.length === shown.length && warnings.every((sentence, index) => sentence === shown[index]);
	return isSame ? undefined : warnings;
}

function reportedOf(warnings: readonly string[]): string[] {
	return warnings.flatMap((sentence) => {
		const label = labelOf(sentence);
		return label === undefined ? [] : [sentence.slice(label.length)];
	});
}

function labelOf(warning: string): string | undefined {
	return [launchLabel, laterLabel].find((label) => warning.startsWith(label));
}
