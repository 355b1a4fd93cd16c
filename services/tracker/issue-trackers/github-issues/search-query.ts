/**
 * Writes searches in GitHub's language. Each word of a text stands between quotes of its own, because an unquoted one
 * could be a qualifier that leaves the project (docs/decisions/0064).
 * @example
 * ```ts
 * searchQuery("crash repo:acme/secret", "repo:acme/api");
 * // is:issue repo:acme/api "crash" "repo" "acme" "secret"
 * ```
 */

/** GitHub refuses longer searches. */
const maxQuery = 256;
/** Everything but letters, digits, marks that belong to letters, and the underline. */
const signs = /[^\p{L}\p{M}\p{N}_]+/gu;

/** @param place The qualifier that says where to search, made of a checked name. */
export function searchQuery(text: string, place: string): string {
	const words = text.slice(0, maxQuery).replace(signs, " ").trim().split(" ");
	let query = `is:issue ${place}`;
	for (const word of words) {
		const longer = `${query} "${word}"`;
		if (word !== "" && longer.length <= maxQuery) query = longer;
	}
	return query;
}
