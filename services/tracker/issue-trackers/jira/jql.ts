/**
 * Writes queries in Jira's language. Everything that people chose stands between quotes, and a text to search for is
 * words only: Jira would read the signs of its index language between the quotes (docs/decisions/0064).
 * @example
 * ```ts
 * searchJql('crash" OR project = "SECRET', "API");
 * // project = "API" AND text ~ "crash or project secret" ORDER BY updated DESC
 * ```
 */

/** The most words of a search; Jira refuses queries with very many. */
const maxWords = 20;
const maxText = 200;
/** Everything but letters, digits, marks that belong to letters, and the underline. */
const signs = /[^\p{L}\p{M}\p{N}_]+/gu;
const keyForm = /^[A-Za-z][A-Za-z0-9_]{0,99}-\d{1,18}$/;
const order = "ORDER BY updated DESC";

/** Returns the query for issues with all words of a text; nothing when there is neither a word nor a project. */
export function searchJql(text: string, project?: string): string | undefined {
	const words = wordsOf(text);
	const clauses = [
		...(project === undefined ? [] : [`project = ${quoted(project)}`]),
		...(words === "" ? [] : [`text ~ "${words}"`]),
	];
	return clauses.length === 0 ? undefined : `${clauses.join(" AND ")} ${order}`;
}

/** Returns the query for the issues of a project, the one that was changed last first. */
export function recentJql(project: string): string {
	return `project = ${quoted(project)} ${order}`;
}

/** Whether a text is an issue's key, such as `API-12`. */
export function isIssueKey(text: string): boolean {
	return keyForm.test(text);
}

/** Small letters, because the index reads AND, OR and NOT as operators. */
function wordsOf(text: string): string {
	return text.slice(0, maxText).replace(signs, " ").trim().split(" ").slice(0, maxWords).join(" ").toLowerCase();
}

function quoted(value: string): string {
	// Control characters go, because Jira's language has escapes of its own for them.
	const plain = value.slice(0, maxText).replace(/\p{Cc}+/gu, " ");
	return `"${plain.replace(/["\\]/g, "\\$&")}"`;
}
