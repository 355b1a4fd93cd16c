import { expect } from "chai";
import { compileLax } from "#services/gateway/routes/lax-values.ts";
import type { Rule } from "#shared/base/schema/schema.ts";

const whole: Rule = { type: "number", integer: true };
const any: Rule = { type: "number" };

describe("compileLax()", () => {
	const table: [rule: Rule, sent: unknown, read: unknown][] = [
		[whole, "12", 12],
		[whole, " -12 ", -12],
		[whole, "12.0", 12],
		[whole, "12.5", "12.5"],
		[whole, "1e3", "1e3"],
		[whole, "", ""],
		[whole, "0x10", "0x10"],
		[whole, "9".repeat(30), "9".repeat(30)],
		[whole, null, null],
		[any, "12.5", 12.5],
		[any, "1e3", 1_000],
		[any, "Infinity", "Infinity"],
		[{ type: "boolean" }, "Yes", true],
		[{ type: "boolean" }, 0, false],
		[{ type: "boolean" }, "TRUE", true],
		[{ type: "boolean" }, "maybe", "maybe"],
		[{ type: "boolean" }, 2, 2],
		[{ type: "array", items: whole }, ["1", 2, "x"], [1, 2, "x"]],
		[{ type: "record", key: { type: "string" }, value: whole }, { a: "1" }, { a: 1 }],
		[
			{ type: "object", props: { a: whole, b: { type: "string" } } },
			{ a: "1", b: "1" },
			{ a: 1, b: "1" },
		],
		[{ type: "object", props: { a: whole } }, "x", "x"],
	];
	for (const [rule, sent, read] of table)
		it(`reads ${JSON.stringify(sent)} as ${JSON.stringify(read)} where a ${rule.type} is wanted`, () => {
			expect(compileLax(rule)?.(structuredClone(sent))).to.deep.equal(read);
		});

	it("has nothing to do for texts and free members", () => {
		for (const rule of [{ type: "string" }, { type: "any" }, { type: "enum", values: ["1"] }] as const)
			expect(compileLax(rule)).to.equal(undefined);
		expect(compileLax({ type: "object", props: { a: { type: "string" } } })).to.equal(undefined);
	});
});
