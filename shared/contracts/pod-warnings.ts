/** The bounds of the warnings that a pod reports of its launch. */

/** The most warnings of a launch, and the most characters of one. */
export const podWarnings = { count: 10, length: 400 } as const;
