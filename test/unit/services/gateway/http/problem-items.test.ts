import { expect } from "chai";
import { problemItem } from "#services/gateway/http/problem-items.ts";
import type { Schema } from "#shared/bus/schema.ts";
import { compileSchema } from "#shared/bus/validator.ts";

/** The item for a value that the validator itself refuses. */
function itemOf(fields: Schema, params: object) {
	const [failure] = compileSchema(fields)(structuredClone(params));
	const [input] = Object.values(params);
	return problemItem({ loc: ["body", "a"], failure: failure ?? expect.fail("the value fits"), input });
}

describe("problemItem()", () => {
	const table: [fields: Schema, params: object, item: object][] = [
		[{ a: { type: "string" } }, {}, { type: "missing", msg: "Field required" }],
		[{ a: { type: "string" } }, { a: null }, { type: "value_error", msg: "Input should not be null", input: null }],
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

	it("repeats no long text and no structure", () => {
		const fields = { a: { type: "string", max: 100 } } as const;
		expect(itemOf({ a: { type: "number" } }, { a: "x".repeat(100) })).to.have.property("input");
		expect(itemOf(fields, { a: "x".repeat(101) })).not.to.have.property("input");
		expect(itemOf(fields, { a: ["x"] })).not.to.have.property("input");
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
