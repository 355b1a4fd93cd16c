/** Removes old documents until there are none. */

/** Records of which old ones are removed. */
export interface Swept {
	/** Removes some of the documents that are too old; resolves to their count. */
	sweep(): Promise<number>;
}

/** Bounds the time of one call, after a long time in which nothing was removed. */
const maxPasses = 1_000;

export async function sweepAll(records: Swept): Promise<void> {
	for (let pass = 0; pass < maxPasses; pass++) if ((await records.sweep()) === 0) return;
}
