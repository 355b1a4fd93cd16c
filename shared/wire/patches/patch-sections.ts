/** The sections of a patch of git, one for each file. Pure. */

/** Git writes this line in the place of the contents of a binary file. */
const unknownBinary = /^Binary files .* differ$/m;
const binary = /^GIT binary patch$/m;

/** Returns the sections; each begins with its line `diff --git`. */
export function sectionsOf(patch: string): string[] {
	return patch.split(/^(?=diff --(?:git|cc|combined) )/m);
}

/** Whether a section has a binary file. Lines of text files begin with another character. */
export function isBinary(section: string): boolean {
	return binary.test(section) || isUnknownBinary(section);
}

/** Whether a section has a binary file without its contents, which git refuses to apply. */
export function isUnknownBinary(section: string): boolean {
	return unknownBinary.test(section);
}

export function hasUnknownBinaries(patch: string): boolean {
	return unknownBinary.test(patch);
}

/** Returns the name of a section's file, as git writes it, or the names before and after a renaming. */
export function nameOf(section: string): string {
	const title = section.slice(0, section.indexOf("\n")).replace(/^diff --\w+ /, "");
	const half = title.slice(2, (title.length - 1) / 2);
	return title === `a/${half} b/${half}` ? half : title;
}
