/** Finds whether a JSON object has a member twice, because parsers differ in which of the two they take. Pure. */

/**
 * Examines the outermost object only. Two searches exclude most texts, so that long texts are seldom scanned.
 * @param text Valid JSON.
 */
export function isNamedTwice(text: string, name: string): boolean {
	const written = `"${name}"`;
	const isOnce = text.indexOf(written) === text.lastIndexOf(written);
	return !(isOnce && !text.includes("\\u00")) && timesNamed(text, name) > 1;
}

const deeper: Readonly<Record<string, number>> = { "{": 1, "[": 1, "}": -1, "]": -1 };

/** Returns how often the outermost object has a member of that name. */
function timesNamed(text: string, name: string): number {
	let times = 0;
	let depth = 0;
	let last = "";
	for (let at = 0; at < text.length; at++) {
		const sign = text.charAt(at);
		if (sign === '"') {
			const end = closingQuote(text, at);
			if (depth === 1) last = text.slice(at, end + 1);
			at = end;
		} else if (sign === ":" && depth === 1 && JSON.parse(last) === name) times++;
		else depth += deeper[sign] ?? 0;
	}
	return times;
}

function closingQuote(text: string, opening: number): number {
	let end = text.indexOf('"', opening + 1);
	while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
	return end;
}

function isEscaped(text: string, at: number): boolean {
	let slashes = 0;
	while (text[at - 1 - slashes] === "\\") slashes++;
	return slashes % 2 === 1;
}
