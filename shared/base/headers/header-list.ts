/** Splits a header that is a list (RFC 9110, 5.6.1), in time that is linear for every input. */

/** Returns the members without surrounding blanks; an empty header has one empty member. */
export function headerList(value: string): string[] {
	return value.split(",").map((member) => member.trim());
}
