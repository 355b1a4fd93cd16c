/** Collects the times of repeated actions, in milliseconds. */

/** The value that a hundredth of the times exceeds; the greatest of fewer than a hundred. */
export function p99(samples: readonly number[]): number {
	const sorted = samples.toSorted((a, b) => a - b);
	return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}
