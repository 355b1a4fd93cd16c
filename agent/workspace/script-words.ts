/** Chooses from the last output of a program the lines that tell why it failed. Pure. */

/** Lines of package managers that name no cause, or a log file in a home folder that is gone with the launch. */
const noise = [
	/^(npm (error|ERR!|notice|warn|WARN))?[\s.│|-]*$/,
	/A complete log of this run can be found in/i,
	/^npm (error|ERR!) [\w-]+$/,
	/^npm notice /,
	/-debug-\d+\.log/,
	/^info Visit https?:\/\//,
];

const maxLines = 6;
const maxLength = 600;

/** Returns the last lines that are no noise, in one line and within bounds; empty when there are none. */
export function scriptWords(lines: readonly string[]): string {
	const words = lines.map((line) => line.trim()).filter((line) => !noise.some((form) => form.test(line)));
	const chosen: string[] = [];
	let length = 0;
	for (const line of words.slice(-maxLines).toReversed()) {
		const shown = line.slice(0, maxLength / 2);
		length += shown.length;
		if (length > maxLength) break;
		chosen.unshift(shown);
	}
	return chosen.join(" | ");
}
