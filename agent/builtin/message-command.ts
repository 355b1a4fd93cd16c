/** Finds the shell command that a message holds. Pure. */

const opening = /^ {0,3}(`{3,}|~{3,})(?:sh|bash|shell)[ \t]*$/;

/** Returns the rest of a message after `$ ` or `!`, or its fenced `sh` blocks in order; undefined when it has none. */
export function commandIn(message: string): string | undefined {
	const text = message.replaceAll("\r\n", "\n").trim();
	const direct = /^(?:\$\s+|!\s*)(\S[\s\S]*)$/.exec(text)?.[1];
	if (direct !== undefined) return direct;
	const blocks = fencedBlocks(text).filter((block) => block !== "");
	return blocks.length === 0 ? undefined : blocks.join("\n");
}

/** Reads line by line: one expression over the whole text takes half a minute for a message of openings alone. */
function fencedBlocks(text: string): string[] {
	const blocks: string[] = [];
	let mark: string | undefined;
	let lines: string[] = [];
	for (const line of text.split("\n")) {
		if (mark === undefined) {
			mark = opening.exec(line)?.[1];
			lines = [];
		} else if (line.trimEnd().replace(/^ {1,3}/, "") === mark) {
			blocks.push(lines.join("\n").trimEnd());
			mark = undefined;
		} else {
			lines.push(line);
		}
	}
	return blocks;
}
