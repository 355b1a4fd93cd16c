/** Finds the placeholders of a saved prompt that the caller did not fill. Pure. */

/** `{{name}}`, but not `${{ name }}`, which build files use. The name has at most 64 characters. */
const placeholder = /(?<!\$)\{\{ {0,8}([\p{L}\d_][\p{L}\d_.-]{0,63}) {0,8}\}\}/gu;

/** The most placeholders that one sentence names. */
const maxNamed = 10;

/** Returns a sentence that names the placeholders in the text; undefined when there is none. */
export function unfilledPlaceholders(text: string): string | undefined {
	const found = new Set<string>();
	for (const [, name = ""] of text.matchAll(placeholder)) found.add(`{{${name}}}`);
	const named = [...found].slice(0, maxNamed).join(", ");
	const others = found.size > maxNamed ? ` and ${found.size - maxNamed} more` : "";
	if (found.size === 0) return undefined;
	return found.size === 1
		? `the placeholder ${named} was not filled`
		: `the placeholders ${named}${others} were not filled`;
}
