/**
 * Finds what reverted a pull request: a commit of its target branch that has "revert" in its message and names the pull
 * request or one of its commits, or a merged pull request that does. Pure.
 */

interface MergedPull {
	readonly number: number;
	readonly source_branch: string;
	/** The commits that a revert may name: the merge, and the head that was merged. */
	readonly shas: readonly string[];
	/** Milliseconds since 1970. */
	readonly mergedAt: number;
}

/** A commit or a pull request that may revert another one. */
export interface PossibleRevert {
	/** The message of a commit; title, description and branch of a pull request. */
	readonly text: string;
	readonly at: string | null;
	readonly url: string | null;
}

/** A revert counts within this time after the merge, in milliseconds. */
export const revertWithinMs = 30 * 86_400_000;

/** The shortest abbreviation of a commit's name that counts. */
const leastName = 7;
/** The characters before the number of a pull request that are read: `reverts`, and the name of the repository. */
const maxLead = 250;
/** The longest text that is searched. */
const maxText = 20_000;

/** Returns the first revert in time; undefined when there is none. */
export function revertOf(pull: MergedPull, candidates: readonly PossibleRevert[]): PossibleRevert | undefined {
	return candidates.find(({ text, at }) => {
		const time = Date.parse(at ?? "");
		const isInTime = time >= pull.mergedAt && time <= pull.mergedAt + revertWithinMs;
		return isInTime && reverts(text.slice(0, maxText).toLowerCase(), pull);
	});
}

function reverts(text: string, { number, source_branch, shas }: MergedPull): boolean {
	if (!text.includes("revert")) return false;
	const names = text.match(/[\da-f]{7,64}/g) ?? [];
	const full = shas.map((sha) => sha.toLowerCase()).filter((sha) => sha.length >= leastName);
	if (names.some((name) => full.some((sha) => sha.startsWith(name)))) return true;
	// The providers' buttons name a branch after the pull request, and the pull request in the description.
	if (text.includes(`revert-${number}-${source_branch.toLowerCase()}`)) return true;
	return [...text.matchAll(/[#!](\d{1,10})/g)]
		.filter(([, named]) => Number(named) === number)
		.some(({ index }) =>
			/reverts (?:merge request |pull request )?\S*$/.test(text.slice(Math.max(0, index - maxLead), index)),
		);
}
