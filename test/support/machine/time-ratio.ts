/**
 * Tests whether the time of a function grows linearly with its input: it compares processor times, so that slow
 * machines do not matter.
 */

/** The time below which the input does not matter, in milliseconds. */
const quickMs = 20;
/** The ratio of the lengths of the two inputs, large enough that noise does not matter. */
const factor = 16;
/** The greatest ratio of times: linear time has 16, and quadratic time 256. */
const maxRatio = 64;
/** The most repetitions, because a ratio may be too high by chance. */
const maxRounds = 8;

/**
 * Whether the time is linear. @param inputOf Makes an input of this length in characters; it is tried up to `length`.
 */
export function isLinear(
	run: (input: string) => unknown,
	inputOf: (length: number) => string,
	length: number,
): boolean {
	const long = inputOf(length);
	let shortestLong = timeOf(run, long);
	if (shortestLong <= quickMs) return true;
	const short = inputOf(length / factor);
	let shortest = timeOf(run, short);
	for (let round = 1; round < maxRounds && shortestLong > maxRatio * shortest; round++) {
		shortestLong = Math.min(shortestLong, timeOf(run, long));
		if (shortestLong <= quickMs) return true;
		shortest = Math.min(shortest, timeOf(run, short));
	}
	return shortestLong <= maxRatio * shortest;
}

/** Returns the processor time of this thread in milliseconds. An error counts as an ordinary answer. */
function timeOf(run: (input: string) => unknown, input: string): number {
	const begun = process.threadCpuUsage();
	try {
		run(input);
	} catch {
		// The time until the error counts too.
	}
	const { user, system } = process.threadCpuUsage(begun);
	return (user + system) / 1_000;
}
