/** Whether the time of a function grows as its input does: a ratio of processor times, so that no machine is too slow. */

/** What takes no longer than this takes no time that its input could be blamed for. */
const quickMs = 20;
/** The longer input is so many times the shorter one: far enough that the machine's own unevenness does not matter. */
const factor = 16;
/** Linear time has 16 and quadratic time 256. */
const maxRatio = 64;
/** A ratio that is too high by chance is not so each time. */
const maxRounds = 8;

/** @param inputOf An input of this length, in characters; it is tried up to `length`. */
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

/** Milliseconds of this thread. A refusal by an error is an answer like any other. */
function timeOf(run: (input: string) => unknown, input: string): number {
	const begun = process.threadCpuUsage();
	try {
		run(input);
	} catch {
		// Its time counts.
	}
	const { user, system } = process.threadCpuUsage(begun);
	return (user + system) / 1_000;
}
