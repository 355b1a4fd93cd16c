/**
 * Puts the output of a command into a Markdown code fence (CommonMark 0.31, 4.5). Clients render answers as Markdown,
 * so a `#` in bare output would become a heading. Pure.
 */

const opening = /^`{3,}(?=\n)/;

/** Returns the output in a fence that is longer than any run of backticks in it; an empty output stays empty. */
export function fencedOutput(output: string): string {
	if (output === "") return "";
	const fence = "`".repeat(Math.max(3, longestRun(output) + 1));
	return `${fence}\n${output}${output.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

/**
 * Returns the end of a text within the fence that the text began with, because a closing fence alone would open another
 * one. @param length The characters of the end without the fence.
 */
export function endInFence(text: string, length: number): string {
	const end = text.slice(-length);
	const fence = end.length < text.length ? opening.exec(text)?.[0] : undefined;
	return fence !== undefined && end.includes(`\n${fence}`) ? `${fence}\n${end}` : end;
}

/** Returns the text without its fence, for readers of the output itself; any other text is unchanged. */
export function withoutFence(text: string): string {
	const fence = opening.exec(text)?.[0];
	if (fence === undefined) return text;
	const end = text.indexOf(`\n${fence}`);
	if (end === -1) return text;
	return text.slice(fence.length + 1, end + 1) + text.slice(end + 1 + fence.length).replace(/^\n/, "");
}

function longestRun(text: string): number {
	let longest = 0;
	for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
	return longest;
}
