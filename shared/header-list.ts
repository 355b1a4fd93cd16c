/** The members of a header that is a list (RFC 9110, 5.6.1), in linear time whatever stands between the commas. */

/** Without the blanks around them; an empty header has one empty member. */
export function headerList(value: string): string[] {
	return value.split(",").map((member) => member.trim());
}
