/** Keeps tests of daily sums within one day. */

const dayMs = 24 * 3_600_000;
/** The longest duration of a test in milliseconds. */
const testMs = 600_000;

/** Returns variables for a platform: shortly before the end of a day (UTC), its clock already shows the next one. */
export function sameDay(): Record<string, string> {
	const leftMs = dayMs - (Date.now() % dayMs);
	return leftMs > testMs ? {} : { ATELIER_CLOCK_OFFSET_MS: String(leftMs) };
}
