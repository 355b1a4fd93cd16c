/**
 * Makes the items of a 422 in the form of the contract's first implementation (pydantic's error types), so that clients
 * written for it understand them.
 */
import type { Rule } from "#shared/base/schema/schema.ts";
import { type Failure, patternSentence } from "#shared/base/schema/validator.ts";

/** A violated rule with its location: the place in the request, then names and indexes. */
export interface Problem {
	readonly loc: readonly (string | number)[];
	readonly failure: Failure;
	/** The refused value, or the object that lacks a member; absent when it is not known. */
	readonly input?: unknown;
	/** The name of an unknown member that is probably the missing one, misspelt. */
	readonly slip?: string | undefined;
	/** The rule of the refused value, if it is known. */
	readonly rule?: Rule;
}

/** One item of a 422. */
export interface ProblemItem {
	type: string;
	loc: readonly (string | number)[];
	msg: string;
	input?: unknown;
	ctx?: Record<string, unknown>;
}

interface Wording {
	readonly type: string;
	readonly msg: string;
	/** The name of the member of `ctx` with the value that the rule requires. */
	readonly ctx?: string;
}

const tooShort = { type: "string_too_short", msg: "String should have at least # character(s)", ctx: "min_length" };
const noList = { type: "list_type", msg: "Input should be a valid list" };
const noDictionary = { type: "dict_type", msg: "Input should be a valid dictionary" };
const noUuid = { type: "uuid_parsing", msg: "Input should be a valid UUID", ctx: "error" };

/** The sentences by the name of the violated rule; `#` stands for the required value. */
const wordings: Readonly<Record<string, Wording>> = {
	required: { type: "missing", msg: "Field required" },
	null: { type: "value_error", msg: "Input should not be null" },
	string: { type: "string_type", msg: "Input should be a valid string" },
	stringEmpty: tooShort,
	stringMin: tooShort,
	stringMax: { type: "string_too_long", msg: "String should have at most # character(s)", ctx: "max_length" },
	stringPattern: {
		type: "string_pattern_mismatch",
		msg: "String should match pattern '#'",
		ctx: "pattern",
	},
	number: { type: "float_type", msg: "Input should be a valid number" },
	integer: { type: "int_type", msg: "Input should be a valid integer" },
	numberInteger: {
		type: "int_from_float",
		msg: "Input should be a valid integer, got a number with a fractional part",
	},
	numberMin: { type: "greater_than_equal", msg: "Input should be greater than or equal to #", ctx: "ge" },
	numberMax: { type: "less_than_equal", msg: "Input should be less than or equal to #", ctx: "le" },
	integerText: { type: "int_parsing", msg: "Input should be a valid integer, unable to parse string as an integer" },
	numberText: { type: "float_parsing", msg: "Input should be a valid number, unable to parse string as a number" },
	booleanText: { type: "bool_parsing", msg: "Input should be a valid boolean, unable to interpret input" },
	boolean: { type: "bool_type", msg: "Input should be a valid boolean" },
	enumValue: { type: "enum", msg: "Input should be #", ctx: "expected" },
	uuid: noUuid,
	uuidVersion: noUuid,
	uuidType: { type: "uuid_type", msg: "UUID input should be a string, bytes or UUID object" },
	url: { type: "url_parsing", msg: "Input should be a valid URL", ctx: "error" },
	array: noList,
	arrayMin: {
		type: "too_short",
		msg: "List should have at least # item(s) after validation, not @",
		ctx: "min_length",
	},
	arrayMax: { type: "too_long", msg: "List should have at most # item(s) after validation, not @", ctx: "max_length" },
	object: {
		type: "model_attributes_type",
		msg: "Input should be a valid dictionary or object to extract fields from",
	},
	record: noDictionary,
	jsonSize: { type: "too_long", msg: "Input should have at most # bytes as JSON", ctx: "max_length" },
	repeated: { type: "value_error", msg: "Parameter was given more than once" },
	json: { type: "json_invalid", msg: "JSON decode error", ctx: "error" },
	depth: { type: "value_error", msg: "Input is nested more than # levels deep", ctx: "max_depth" },
	memberName: { type: "value_error", msg: "Member name '#' is not allowed", ctx: "name" },
	header: { type: "string_pattern_mismatch", msg: "Header should match pattern '#'", ctx: "pattern" },
};

const idInPath = `${noUuid.msg}: this part of the path is an id and not a name`;
const idOfSession = `${idInPath}; GET /sessions?name= finds the id of a session`;

/** The most characters of a refused text, and of a refused structure as JSON, that the answer repeats. */
const maxInputLength = 100;
const maxStructureLength = 2_000;

export function problemItem(problem: Problem): ProblemItem {
	const { loc, failure, input, rule, slip } = problem;
	const violated = violatedRule(problem);
	const { type, msg, ctx } = wordings[violated] ?? { type: "value_error", msg: failure.message };
	const expected = failure.expected ?? (rule?.type === "enum" ? rule.values : undefined);
	const wanted = wantedBy(violated, expected);
	return {
		type,
		loc,
		msg: `${sentenceOf(failure, loc) ?? filled(msg, wanted, input)}${remedyOf(slip, loc)}`,
		...(isShort(input) && { input }),
		...(ctx !== undefined && { ctx: { ...countIn(violated, input), [ctx]: wanted ?? msg } }),
	};
}

/** Returns the name of the violated rule by what was sent: null, or a text in the place of a number, has its own words. */
function violatedRule({ failure: { type }, input, rule }: Problem): string {
	if (type === "null" || type === "string") return typeRule(rule) ?? type;
	if (type === "number") return textRule(rule, input) ?? typeRule(rule) ?? type;
	if (type === "boolean") return typeof input === "string" || Number.isInteger(input) ? "booleanText" : type;
	return type;
}

/** Returns the name of a rule that wants a value of another type. */
function typeRule(rule: Rule | undefined): string | undefined {
	if (rule?.type === "number") return rule.integer ? "integer" : "number";
	if (rule?.type === "enum") return "enumValue";
	return rule?.type === "uuid" ? "uuidType" : rule?.type;
}

function textRule(rule: Rule | undefined, input: unknown): string | undefined {
	if (typeof input !== "string") return undefined;
	return rule?.type === "number" && rule.integer ? "integerText" : "numberText";
}

/** Returns what the original says of a list that is too short or too long. */
function countIn(violated: string, input: unknown): Record<string, unknown> {
	const isCounted = violated === "arrayMin" || violated === "arrayMax";
	return isCounted && Array.isArray(input) ? { field_type: "List", actual_length: input.length } : {};
}

/** Returns the sentence that says more than the rule: a contract's words for its pattern, and how to find an id. */
function sentenceOf({ type, message }: Failure, [place, name]: Problem["loc"]): string | undefined {
	if (type === "uuid" && place === "path") return name === "session_id" ? idOfSession : idInPath;
	return type === "stringPattern" && message.startsWith(patternSentence) ? message : undefined;
}

function remedyOf(slip: string | undefined, loc: Problem["loc"]): string {
	return slip === undefined ? "" : `; "${slip}" is unknown, did you mean "${loc.at(-1)}"?`;
}

/** Fills a sentence: `#` is the required value, `(s)` its plural, and `@` the count of items that were sent. */
function filled(msg: string, wanted: unknown, input: unknown): string {
	const sent = Array.isArray(input) ? String(input.length) : "another count";
	const sentence = msg.replace("(s)", wanted === 1 ? "" : "s").replace("@", sent);
	return sentence.replace("#", () => textOf(wanted));
}

function textOf(wanted: unknown): string {
	return typeof wanted === "string" ? wanted : JSON.stringify(wanted ?? "");
}

function isShort(input: unknown): boolean {
	if (typeof input === "string") return input.length <= maxInputLength;
	if (typeof input === "object" && input !== null) return JSON.stringify(input).length <= maxStructureLength;
	return input === null || typeof input === "number" || typeof input === "boolean";
}

/** Returns the required value from the validator's form: `/pattern/`, and `a, b, c` or a list for an enum. */
function wantedBy(rule: string, expected: unknown): unknown {
	if (rule === "stringPattern") return String(expected).replaceAll(/^\/|\/$/g, "");
	if (rule !== "enumValue") return expected;
	const values: unknown[] = Array.isArray(expected) ? expected : String(expected).split(", ");
	const quoted = values.map((value) => `'${String(value)}'`);
	return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
