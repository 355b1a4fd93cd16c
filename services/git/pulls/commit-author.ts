/** Makes a person the author of commits. Pure. */

/** The longest name and address. */
const longest = 1_000;

interface NamedPerson {
	readonly display_name: string;
	readonly email: string;
}

/**
 * Returns the author, without characters that cannot stand in a commit; git itself leaves them out of names, too.
 * Undefined when no address is known.
 */
export function commitAuthor({ display_name, email }: NamedPerson): { name: string; email: string } | undefined {
	const address = clean(email);
	return address === "" ? undefined : { name: clean(display_name) || address, email: address };
}

function clean(text: string): string {
	return text
		.replaceAll(/[\p{Cc}<>]/gu, "")
		.trim()
		.slice(0, longest);
}
