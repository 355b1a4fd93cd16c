/** Finds the name that was probably meant by an unknown one, for sentences that end with "did you mean". Pure. */

/** A longer name is nobody's slip, and the comparison takes time in proportion to its length. */
const maxLength = 100;

/**
 * Returns the known name that is nearest to the wanted one; case does not count.
 * @param bound The count of letters in which it differs less; default: half of them.
 */
export function nearestName(known: Iterable<string>, wanted: string, bound = wanted.length / 2): string | undefined {
	if (wanted.length > maxLength) return undefined;
	let best: string | undefined;
	let least = bound;
	for (const name of known) {
		// The distance is never less than the difference of the lengths.
		if (Math.abs(name.length - wanted.length) >= least) continue;
		const far = editDistance(wanted.toLowerCase(), name.toLowerCase());
		if (far < least) [best, least] = [name, far];
	}
	return best;
}

/** Returns the second half of a sentence about an unknown name: `; did you mean "model"?`, or nothing. */
export function didYouMean(known: Iterable<string>, wanted: string): string {
	const near = nearestName(known, wanted);
	return near === undefined ? "" : `; did you mean "${near}"?`;
}

/** Counts the letters to insert, remove, replace, or swap with the next one (optimal string alignment distance). */
function editDistance(a: string, b: string): number {
	let [twoAbove, above]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
	for (let row = 1; row <= a.length; row++) {
		const line = [row];
		for (let column = 1; column <= b.length; column++) {
			const same = a[row - 1] === b[column - 1];
			const replaced = at(above, column - 1) + (same ? 0 : 1);
			const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
			const turned = swapped ? at(twoAbove, column - 2) + 1 : Infinity;
			line.push(Math.min(replaced, turned, at(above, column) + 1, at(line, column - 1) + 1));
		}
		[twoAbove, above] = [above, line];
	}
	return at(above, b.length);
}

function at(line: readonly number[] | undefined, column: number): number {
	return line?.[column] ?? Infinity;
}
