/** The warnings of a session: those of its creation stay, and those that its pod reports belong to one launch. Pure. */

/** The beginning of the warnings that the pod of the last launch has reported. */
const launchLabel = "launch: ";

/** Returns the sentences that a pod has reported newly, without their label. */
export function newLaunchWarnings(before: readonly string[], after: readonly string[]): string[] {
	const added = after.filter((sentence) => sentence.startsWith(launchLabel) && !before.includes(sentence));
	return added.map((sentence) => sentence.slice(launchLabel.length));
}

/** Returns the warnings with those that the pod reports in the place of the earlier launch's; undefined when they are the same. */
export function launchWarnings(shown: readonly string[], reported: readonly string[]): string[] | undefined {
	const created = shown.filter((sentence) => !sentence.startsWith(launchLabel));
	const warnings = [...created, ...reported.map((sentence) => launchLabel + sentence)];
	const isSame = warnings.length === shown.length && warnings.every((sentence, index) => sentence === shown[index]);
	return isSame ? undefined : warnings;
}
