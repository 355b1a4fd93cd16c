import { expect } from "chai";
import { InvalidRequestError } from "#services/gateway/http/http-errors.ts";
import type { JsonObject } from "#services/gateway/http/json-body.ts";
import { problemItem, type ProblemItem } from "#services/gateway/http/problem-items.ts";
import { compileParams } from "#services/gateway/routes/request-params.ts";
import type { Rule, Schema } from "#shared/base/schema/schema.ts";

/** The item for a value that the validator itself refuses. */
function itemOf(fields: Schema, params: object): ProblemItem {
	const [item] = itemsOf(fields, params);
	return item ?? expect.fail("the value fits");
}

/** The items of a body, as the gateway makes them. */
function itemsOf(fields: Schema, body: object): ProblemItem[] {
	try {
		compileParams(fields, "POST", "/things")({ path: {}, query: "", body: structuredClone(body) as JsonObject });
		return [];
	} catch (error) {
		if (error instanceof InvalidRequestError) return error.problems.map(problemItem);
		throw error;
	}
}

const text = { type: "string" } as const;
const whole = { type: "number", integer: true } as const;
const noInteger = "Input should be a valid integer";
const noObject = "Input should be a valid dictionary or object to extract fields from";

/** The items of null, as pydantic 2.13 writes them. */
const nothing: readonly (readonly [Rule, string, string, object?])[] = [
	[text, "string_type", "Input should be a valid string"],
	[whole, "int_type", noInteger],
	[{ type: "number" }, "float_type", "Input should be a valid number"],
	[{ type: "boolean" }, "bool_type", "Input should be a valid boolean"],
	[{ type: "enum", values: ["x", "y"] }, "enum", "Input should be 'x' or 'y'", { expected: "'x' or 'y'" }],
	[{ type: "uuid" }, "uuid_type", "UUID input should be a string, bytes or UUID object"],
	[{ type: "array", items: text }, "list_type", "Input should be a valid list"],
	[{ type: "record", key: text, value: text }, "dict_type", "Input should be a valid dictionary"],
	[{ type: "object", props: {} }, "model_attributes_type", noObject],
];

describe("problemItem()", () => {
	const table: [fields: Schema, params: object, item: object][] = [
		[{ a: { type: "string" } }, {}, { type: "missing", msg: "Field required", input: {} }],
		[
			{
				a: { type: "string" },
				b: { type: "string", optional: true },
				free: { type: "record", key: text, value: text },
			},
			{ b: "x", free: { token: "secret" }, unknown: 1 },
			{ type: "missing", msg: "Field required", input: { b: "x", free: { token: "***" } } },
		],
		...nothing.map(([rule, type, msg, ctx]): [Schema, object, object] => [
			{ a: rule },
			{ a: null },
			{ type, msg, input: null, ...(ctx && { ctx }) },
		]),
		[
			{ a: whole },
			{ a: "x" },
			{ type: "int_parsing", msg: `${noInteger}, unable to parse string as an integer`, input: "x" },
		],
		[{ a: whole }, { a: [1] }, { type: "int_type", msg: noInteger, input: [1] }],
		[
			{ a: { ...whole, min: 1 } },
			{ a: 0.5 },
			{ type: "int_from_float", msg: `${noInteger}, got a number with a fractional part`, input: 0.5 },
		],
		[
			{ a: { type: "number" } },
			{ a: "x" },
			{
				type: "float_parsing",
				msg: "Input should be a valid number, unable to parse string as a number",
				input: "x",
			},
		],
		[
			{ a: { type: "boolean" } },
			{ a: 7 },
			{ type: "bool_parsing", msg: "Input should be a valid boolean, unable to interpret input", input: 7 },
		],
		[{ a: { type: "boolean" } }, { a: 1.5 }, { type: "bool_type", msg: "Input should be a valid boolean", input: 1.5 }],
		[
			{ a: { type: "uuid" } },
			{ a: 7 },
			{ type: "uuid_type", msg: "UUID input should be a string, bytes or UUID object", input: 7 },
		],
		[{ a: { type: "object", props: {} } }, { a: [1] }, { type: "model_attributes_type", msg: noObject, input: [1] }],
		[
			{ a: { type: "record", key: text, value: text } },
			{ a: "x" },
			{ type: "dict_type", msg: "Input should be a valid dictionary", input: "x" },
		],
		[
			{ a: { type: "array", items: whole, max: 2 } },
			{ a: [1, 2, 3] },
			{
				type: "too_long",
				msg: "List should have at most 2 items after validation, not 3",
				ctx: { field_type: "List", max_length: 2, actual_length: 3 },
				input: [1, 2, 3],
			},
		],
		[{ a: { type: "string" } }, { a: 7 }, { type: "string_type", msg: "Input should be a valid string", input: 7 }],
		[
			{ a: { type: "string", max: 2 } },
			{ a: "abc" },
			{ type: "string_too_long", msg: "String should have at most 2 characters", ctx: { max_length: 2 }, input: "abc" },
		],
		[
			{ a: { type: "string", pattern: "^x/y$" } },
			{ a: "z" },
			{
				type: "string_pattern_mismatch",
				msg: "String should match pattern '^x/y$'",
				ctx: { pattern: "^x/y$" },
				input: "z",
			},
		],
		[
			{ a: { type: "number", min: 1 } },
			{ a: 0 },
			{ type: "greater_than_equal", msg: "Input should be greater than or equal to 1", ctx: { ge: 1 }, input: 0 },
		],
		[
			{ a: { type: "enum", values: ["x", "y", "z"] } },
			{ a: "w" },
			{ type: "enum", msg: "Input should be 'x', 'y' or 'z'", ctx: { expected: "'x', 'y' or 'z'" }, input: "w" },
		],
		[
			{ a: { type: "enum", values: ["x"] } },
			{ a: "w" },
			{ type: "enum", msg: "Input should be 'x'", ctx: { expected: "'x'" }, input: "w" },
		],
		[
			{ a: { type: "array", items: { type: "any" } } },
			{ a: "x" },
			{ type: "list_type", msg: "Input should be a valid list", input: "x" },
		],
	];
	for (const [fields, params, item] of table) {
		it(`says of ${JSON.stringify(params)} that it should be ${JSON.stringify(fields["a"])}`, () => {
			expect(itemOf(fields, params)).to.deep.equal({ loc: ["body", "a"], ...item });
		});
	}

	it("counts one character and one item in the singular, says how many items came, and lists each value of an enum", () => {
		expect(itemOf({ a: { type: "string", min: 1 } }, { a: "" }).msg).to.equal(
			"String should have at least 1 character",
		);
		const list = { type: "array", items: { type: "any" } } as const;
		expect(itemOf({ a: { ...list, min: 1 } }, { a: [] }).msg).to.equal(
			"List should have at least 1 item after validation, not 0",
		);
		expect(itemOf({ a: { ...list, max: 2 } }, { a: [1, 2, 3] }).msg).to.equal(
			"List should have at most 2 items after validation, not 3",
		);
		const failure = { type: "enumValue", path: ["status"], message: "", expected: ["created", "starting", "archived"] };
		expect(problemItem({ loc: ["query", "status"], failure }).msg).to.equal(
			"Input should be 'created', 'starting' or 'archived'",
		);
	});

	it("repeats no long text and no large structure, and masks the texts of others", () => {
		const fields = { a: { type: "string", max: 100 } } as const;
		expect(itemOf({ a: { type: "number" } }, { a: "x".repeat(100) })).to.have.property("input");
		expect(itemOf(fields, { a: "x".repeat(101) })).not.to.have.property("input");
		expect(itemOf(fields, { a: Array(1_000).fill(1) })).not.to.have.property("input");
		expect(itemOf(fields, { a: ["secret", { token: "secret", count: 1 }] })).to.deep.include({
			input: ["***", { token: "***", count: 1 }],
		});
	});

	it("says one thing of each member: too long, and not also outside of the pattern", () => {
		const name = { type: "string", min: 1, max: 3, pattern: "^[a-z]+$" } as const;
		for (const [value, type] of [
			["", "string_too_short"],
			["ABCD", "string_too_long"],
			["AB", "string_pattern_mismatch"],
		])
			expect(itemsOf({ a: name, b: name }, { a: value, b: "x" }).map(({ type: said }) => said)).to.deep.equal([type]);
	});

	it("repeats a number of the query as the text that was sent, and null for one that is missing", () => {
		const fields = { a: { ...whole, min: 1 }, b: whole };
		try {
			compileParams(fields, "GET", "/things")({ path: {}, query: "a=0", body: {} });
			expect.fail("the query fits");
		} catch (error) {
			if (!(error instanceof InvalidRequestError)) throw error;
			expect(error.problems.map((problem) => problemItem(problem).input)).to.deep.equal(["0", null]);
		}
	});

	it("puts a pattern into its sentence unchanged, with the signs that a replacement would interpret", () => {
		const failure = { type: "stringPattern", path: ["a"], message: "", expected: "/^$&$/" };
		expect(problemItem({ loc: ["body"], failure }).msg).to.equal("String should match pattern '^$&$'");
	});

	it("says a pattern in the words of the contract, and keeps the expression for programs", () => {
		const item = itemOf(
			{ a: { type: "string", pattern: "^[a-z]+$", words: "have only lower-case letters" } },
			{ a: "A" },
		);
		expect(item.msg).to.equal("String should have only lower-case letters");
		expect(item.ctx).to.deep.equal({ pattern: "^[a-z]+$" });
	});

	it("says of a name in the place of an id that it is one, and how the id of a session is found", () => {
		const failure = { type: "uuid", path: ["a"], message: "" };
		const words = "Input should be a valid UUID: this part of the path is an id and not a name";
		expect(problemItem({ loc: ["path", "profile_id"], failure }).msg).to.equal(words);
		expect(problemItem({ loc: ["path", "session_id"], failure }).msg).to.equal(
			`${words}; GET /sessions?name= finds the id of a session`,
		);
		expect(problemItem({ loc: ["body", "session_id"], failure }).msg).to.equal("Input should be a valid UUID");
	});

	it("uses the validator's words for a rule without a wording", () => {
		const failure = { type: "unheard", path: ["a"], message: "No" };
		expect(problemItem({ loc: ["body"], failure })).to.deep.equal({ type: "value_error", loc: ["body"], msg: "No" });
	});
});
