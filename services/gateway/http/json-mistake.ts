/**
 * Finds the first mistake of a text that is not JSON. The sentence of the runtime would repeat parts of the text, which
 * may hold secrets. Pure.
 */

/** The first mistake of a text; it repeats nothing of the text. */
interface JsonMistake {
	/** The index of the character, from 0. */
	readonly at: number;
	/** Says what was expected, with the line and the column from 1. */
	readonly sentence: string;
}

/** The part that comes next. `item` and `member` are the first of a list or object, which may also end there. */
type Next = "value" | "item" | "member" | "name" | "colon" | "afterItem" | "afterMember" | "end";
type Move = Next | "after" | "close";

const words: Readonly<Record<Next, string>> = {
	value: "a value",
	item: 'a value or "]"',
	member: 'a name in double quotes or "}"',
	name: "a name in double quotes",
	colon: '":"',
	afterItem: '"," or "]"',
	afterMember: '"," or "}"',
	end: "the end of the text",
};

const value = { "[": "item", "{": "member", text: "after", scalar: "after" } as const;

/** The tokens that may come next, and where each of them leads. */
const moves: Readonly<Record<Next, Readonly<Record<string, Move>>>> = {
	value,
	item: { ...value, "]": "close" },
	member: { text: "colon", "}": "close" },
	name: { text: "colon" },
	colon: { ":": "value" },
	afterItem: { ",": "value", "]": "close" },
	afterMember: { ",": "name", "}": "close" },
	end: {},
};

/** A text ends at its first quote; quotes, backslashes and control characters in it have to be escaped. */
const token =
	/(?<text>"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(?<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)|[[\]{},:]/y;
const blanks = /[ \t\n\r]*/y;

/** Returns the first mistake; undefined when the text is JSON. */
export function jsonMistake(text: string): JsonMistake | undefined {
	const open: Next[] = [];
	let next: Next = "value";
	for (let at = past(blanks, text, 0); at < text.length; at = past(blanks, text, token.lastIndex)) {
		const kind = kindAt(text, at);
		const move = kind === undefined ? undefined : moves[next][kind];
		if (move === undefined) return mistake(text, at, kind === undefined && text[at] === '"' ? undefined : next);
		next = moved(open, move);
	}
	return next === "end" ? undefined : mistake(text, text.length, next);
}

/** Returns the kind of the token at a place; undefined when there is none. */
function kindAt(text: string, at: number): string | undefined {
	token.lastIndex = at;
	const found = token.exec(text);
	if (found?.groups?.["text"] !== undefined) return "text";
	return found?.groups?.["scalar"] === undefined ? found?.[0] : "scalar";
}

/** Returns the part that comes next. @param open Parts that come after what is open; changed by the move. */
function moved(open: Next[], move: Move): Next {
	if (move === "item") open.push("afterItem");
	if (move === "member") open.push("afterMember");
	if (move === "close") open.pop();
	return move === "close" || move === "after" ? (open.at(-1) ?? "end") : move;
}

function past(expression: RegExp, text: string, at: number): number {
	expression.lastIndex = at;
	expression.test(text);
	return expression.lastIndex;
}

/** @param next The part that was expected; undefined for a text between quotes that is wrong in itself. */
function mistake(text: string, at: number, next: Next | undefined): JsonMistake {
	const lines = text.slice(0, at).split("\n");
	const expected =
		next === undefined ? 'a text with valid escapes, without line breaks, that ends with "' : words[next];
	return { at, sentence: `Expected ${expected} at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}` };
}
