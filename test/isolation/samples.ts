/** Times of what was done again and again, in milliseconds. */

/** The value that a hundredth of them exceeds; of fewer than a hundred the greatest. */
export function p99(samples: readonly number[]): number {
	const sorted = samples.toSorted((a, b) => a - b);
	return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
