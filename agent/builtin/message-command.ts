/** Which shell command a message holds. Pure. */

const fence = /^ {0,3}(`{3,}|~{3,})(?:sh|bash|shell)[ \t]*\n([\s\S]*?)^ {0,3}\1[ \t]*$/gm;

/**
 * The rest of a message that begins with `$ ` or `!`, or else all its fenced `sh` blocks, in order; undefined when it
 * holds none.
 */
export function commandIn(message: string): string | undefined {
	const text = message.replaceAll("\r\n", "\n").trim();
	const direct = /^(?:\$\s+|!\s*)(\S[\s\S]*)$/.exec(text)?.[1];
	if (direct !== undefined) return direct;
	const blocks = [...text.matchAll(fence)].map(([, , block = ""]) => block.trimEnd()).filter((block) => block !== "");
	return blocks.length === 0 ? undefined : blocks.join("\n");
}
