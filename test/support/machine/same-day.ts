/** For tests of what a platform counts by the day: none ends while they run. */

const dayMs = 24 * 3_600_000;
/** No test takes longer. */
const testMs = 600_000;

/** Environment of a platform: shortly before the end of a day (UTC) its clock shows the next one already. */
export function sameDay(): Record<string, string> {
	const leftMs = dayMs - (Date.now() % dayMs);
	return leftMs > testMs ? {} : { ATELIER_CLOCK_OFFSET_MS: String(leftMs) };
}
