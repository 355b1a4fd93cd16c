/**
 * Matches paths of a repository with globs: `**` stands for any folders, `*` for any characters of one name, in any
 * case. The time is bounded by the length of the path times that of the glob, whatever names a hostile author chooses.
 * Pure.
 */

/** A path or a glob by its names. */
type Names = readonly string[];

/** The longest path that is matched, in UTF-16 units; longer ones count as unknown. */
export const maxPath = 1_000;

/** Several globs, of which one has to match. */
export class PathGlobs {
	readonly #globs: readonly Names[];

	constructor(globs: readonly string[]) {
		this.#globs = globs.map(namesOf);
	}

	matches(path: string): boolean {
		const names = namesOf(path);
		return this.#globs.some((glob) => isMatch(names, glob, (part) => part === "**", isName));
	}
}

function namesOf(path: string): Names {
	return path.toLowerCase().split("/");
}

function isName(name: string, glob: string): boolean {
	if (!glob.includes("*")) return name === glob;
	return isMatch(name, glob, (character) => character === "*", isEqual);
}

function isEqual(one: string, other: string): boolean {
	return one === other;
}

/**
 * Whether a list, or the characters of a text, match a pattern whose wildcards stand for any number of members. After a mismatch only the last
 * wildcard takes one member more, because an earlier one could gain nothing by it.
 */
function isMatch(
	list: ArrayLike<string>,
	pattern: ArrayLike<string>,
	isWild: (part: string) => boolean,
	isSame: (one: string, part: string) => boolean,
): boolean {
	let at = 0;
	let place = 0;
	/** The place of the last wildcard, and how far it reaches. */
	let wild = -1;
	let taken = 0;
	while (at < list.length) {
		const part = pattern[place] ?? "";
		const isOver = place >= pattern.length;
		if (!isOver && isWild(part)) {
			wild = place++;
			taken = at;
			continue;
		}
		if (!isOver && isSame(list[at] ?? "", part)) {
			at++;
			place++;
			continue;
		}
		if (wild === -1) return false;
		place = wild + 1;
		at = ++taken;
	}
	return isWildFrom(pattern, place, isWild);
}

function isWildFrom(pattern: ArrayLike<string>, place: number, isWild: (part: string) => boolean): boolean {
	return Array.from(pattern).slice(place).every(isWild);
}
