/**
 * The output of a command in the text of an answer. Answers are Markdown to those who show them, so it stands in a fence of its
 * own (CommonMark 0.31, 4.5), or a `#` in it would be a heading. Pure.
 */

const opening = /^`{3,}(?=\n)/;

/** The output in a fence that no line of it closes; nothing stays nothing. */
export function fencedOutput(output: string): string {
	if (output === "") return "";
	const fence = "`".repeat(Math.max(3, longestRun(output) + 1));
	return `${fence}\n${output}${output.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/** The end of a text, in the fence that it began with: a closing one alone would open another. @param length Characters beside that. */
export function endInFence(text: string, length: number): string {
	const end = text.slice(-length);
	const fence = end.length < text.length ? opening.exec(text)?.[0] : undefined;
	return fence !== undefined && end.includes(`\n${fence}`) ? `${fence}\n${end}` : end;
}

/** Such a text without its fence, for those who read the output itself; any other text as it is. */
export function withoutFence(text: string): string {
	const fence = opening.exec(text)?.[0];
	if (fence === undefined) return text;
	const end = text.indexOf(`\n${fence}`);
	if (end === -1) return text;
	return text.slice(fence.length + 1, end + 1) + text.slice(end + 1 + fence.length).replace(/^\n/, "");
}

/** Of backticks. */
function longestRun(text: string): number {
	let longest = 0;
	for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
	return longest;
}
