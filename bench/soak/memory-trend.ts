/** How the memory of a process changes in the course of a run. Pure. */

/** The memory of the platform's process after garbage was collected, in bytes. */
export interface MemorySample {
	/** The time since the beginning, in minutes. */
	readonly minute: number;
	readonly rss: number;
	readonly heap: number;
	readonly external: number;
}

/** Returns the slope in bytes a minute of the line that fits the samples best (least squares). */
export function slope(samples: readonly MemorySample[], member: "rss" | "heap"): number {
	const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
	const middle = mean(samples.map(({ minute }) => minute));
	const level = mean(samples.map((sample) => sample[member]));
	const rise = samples.reduce((sum, sample) => sum + (sample.minute - middle) * (sample[member] - level), 0);
	const spread = samples.reduce((sum, { minute }) => sum + (minute - middle) ** 2, 0);
	return spread === 0 ? 0 : rise / spread;
}
