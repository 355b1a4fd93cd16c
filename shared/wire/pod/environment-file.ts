/** Renders variables as a file that a POSIX shell sources. Pure. */
import { isSettable } from "./variable-name.ts";

/**
 * Returns the file: one line `export NAME='value'` for each variable, where only a quote needs escaping.
 * @throws {RangeError} for a variable that may not be set; the message does not have its value.
 */
export function environmentFile(variables: Readonly<Record<string, string>>): string {
	return Object.entries(variables)
		.map(([name, value]) => {
			if (!isSettable(name, value)) throw new RangeError(`Cannot set the variable "${name}"`);
			return `export ${name}=${shellQuoted(value)}\n`;
		})
		.join("");
}

/** Returns the text as one word of a POSIX shell. It must not have a NUL character, which no shell can hold. */
export function shellQuoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
