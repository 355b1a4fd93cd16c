/** Reads the part of Jira's query language that the platform writes, as strictly as Jira does. */

/** The issues that a query asks for; an absent member restricts nothing. */
export interface JqlQuery {
	readonly project?: string;
	/** Words in small letters, all of which an issue has to contain. */
	readonly words?: readonly string[];
}

/** One token: a text in quotes with its escapes, a word, or an operator. */
const token = /\s*(?:"((?:[^"\\\n\r]|\\["\\])*)"|([A-Za-z]+)|(=|~))/y;
/** Signs that mean something to the index behind `~`. */
const indexSign = /[+\-&|!(){}[\]^~*?:\\/"']|\b(?:AND|OR|NOT)\b/;

interface Token {
	/** The word or the operator as it stands, and `""` for a text. */
	readonly sign: string;
	/** The characters between quotes. */
	readonly text: string;
}

/**
 * Returns what a query asks for.
 * @throws {Error} with Jira's sentence when it is no such query.
 */
export function readJql(jql: string): JqlQuery {
	const tokens = tokensOf(jql);
	const at = tokens.findIndex(({ sign }) => sign === "ORDER");
	const order = tokens.slice(at).map(({ sign }) => sign);
	if (at === -1 || order.join(" ") !== "ORDER BY updated DESC") throw new Error("Error in the JQL Query: ORDER BY");
	return clausesOf(tokens.slice(0, at));
}

function tokensOf(jql: string): Token[] {
	const tokens: Token[] = [];
	token.lastIndex = 0;
	while (token.lastIndex < jql.length) {
		const found = token.exec(jql);
		if (!found) throw new Error("Error in the JQL Query: a character is not expected");
		const [, text = "", word = "", operator = ""] = found;
		tokens.push({ sign: word + operator, text: text.replace(/\\(.)/g, "$1") });
	}
	return tokens;
}

/** The signs of a clause, such as `project = ""`, and what it says about issues. */
const clauses: Readonly<Record<string, (text: string) => JqlQuery>> = {
	"project =": (project) => ({ project }),
	"text ~": (text) => ({ words: wordsOf(text) }),
};

function clausesOf(tokens: Token[]): JqlQuery {
	let query: JqlQuery = {};
	for (let at = 0; at < tokens.length; at += 4) {
		const clause = tokens.slice(at, at + 3);
		const signs = clause.map(({ sign }) => sign).join(" ");
		const read = clauses[signs.trimEnd()];
		const and = tokens[at + 3]?.sign ?? "AND";
		if (!read || clause.length < 3 || and !== "AND") throw new Error(`Error in the JQL Query: "${signs}"`);
		query = { ...query, ...read(clause[2]?.text ?? "") };
	}
	return query;
}

function wordsOf(text: string): string[] {
	if (indexSign.test(text)) throw new Error(`Unable to parse the text '${text}' for field 'text'`);
	return text.toLowerCase().split(" ");
}
