/** One schema, three readings: the validator, JSON Schema and the type must agree. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import { expect } from "chai";
import fc from "fast-check";
import { toJsonSchema } from "#shared/base/schema/json-schema.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";

const sample = schema({
	name: { type: "string", min: 1, max: 5, pattern: "^[a-z]+$" },
	note: { type: "string", optional: true, nullable: true },
	count: { type: "number", integer: true, min: 0, max: 9, default: 3 },
	ratio: { type: "number", optional: true },
	flag: { type: "boolean", nullable: true },
	kind: { type: "enum", values: ["a", "b"] },
	tags: { type: "array", items: { type: "string" }, max: 2, default: [] },
	nested: { type: "object", props: { on: { type: "boolean" } }, optional: true },
	map: { type: "record", key: { type: "string" }, value: { type: "number" }, default: {} },
	either: { type: "multi", rules: [{ type: "string" }, { type: "array", items: { type: "number" } }], optional: true },
});

const check = compileSchema(sample);
const ajv = new Ajv2020({ strict: false });
formatsPlugin.default(ajv);
const viaJsonSchema = ajv.compile(toJsonSchema(sample));

const leaf = fc.oneof(
	fc.string({ maxLength: 6 }),
	fc.constantFrom("a", "b", "abc", null, true, false, undefined),
	fc.integer({ min: -2, max: 12 }),
	fc.double({ noNaN: true }),
);
/** The values are mostly valid, so single wrong members decide. */
function mostly(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
	return fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: leaf });
}

const candidate = fc.record(
	{
		name: mostly(fc.constantFrom("a", "abc", "abcde")),
		note: mostly(fc.constantFrom("x", null, undefined)),
		count: mostly(fc.integer({ min: 0, max: 9 })),
		ratio: mostly(fc.integer()),
		flag: mostly(fc.boolean()),
		kind: mostly(fc.constantFrom("a", "b")),
		tags: mostly(fc.array(mostly(fc.constant("t")), { maxLength: 3 })),
		nested: mostly(fc.record({ on: mostly(fc.boolean()) })),
		map: mostly(fc.dictionary(fc.constantFrom("x", "y"), mostly(fc.integer()))),
		either: mostly(fc.oneof(fc.constant("x"), fc.array(mostly(fc.integer()), { maxLength: 2 }))),
	},
	{ requiredKeys: ["name", "flag", "kind"] },
);

describe("compileSchema()", () => {
	it("accepts exactly what its JSON Schema accepts, over 5,000 values", () => {
		let accepted = 0;
		fc.assert(
			fc.property(candidate, (value) => {
				const json: unknown = JSON.parse(JSON.stringify(value));
				const valid = viaJsonSchema(json);
				const failures = check(structuredClone(json));
				accepted += Number(valid);
				expect(failures.length === 0, JSON.stringify({ json, failures, errors: viaJsonSchema.errors })).to.equal(valid);
			}),
			{ numRuns: 5_000 },
		);
		expect(accepted).to.be.within(1_000, 4_500);
	});

	it("fills in defaults and removes unknown members, nested ones too", () => {
		const value = { name: "a", flag: null, kind: "a", stray: 1, nested: { on: true, stray: 1 } };
		expect(check(value)).to.deep.equal([]);
		expect(value).to.deep.equal({
			name: "a",
			flag: null,
			kind: "a",
			count: 3,
			tags: [],
			map: {},
			nested: { on: true },
		});
	});

	it("names the place of a failure", () => {
		const failures = check({ name: "a", flag: true, kind: "c", tags: ["x", 1], nested: {} });
		expect(failures.map(({ path, type }) => [...path, type])).to.deep.equal([
			["kind", "enumValue"],
			["tags", 1, "string"],
			["nested", "on", "required"],
		]);
	});

	it("gives the type its fields", () => {
		const value: Output<typeof sample> = { name: "a", count: 1, flag: null, kind: "b", tags: [], map: {} };
		// @ts-expect-error: not one of the values
		value.kind = "c";
		// @ts-expect-error: null is not allowed here
		value.ratio = null;
		expect(value).to.be.an("object");
	});

	it("take integers that a number has exactly, and no others (X11)", () => {
		const whole = compileSchema({
			n: { type: "number", integer: true, min: 0 },
			any: { type: "number", integer: true, optional: true },
		});
		expect(whole({ n: Number.MAX_SAFE_INTEGER, any: Number.MIN_SAFE_INTEGER })).to.deep.equal([]);
		for (const wrong of [{ n: 2 ** 53 }, { n: 1e300 }, { n: 0, any: -1e300 }]) expect(whole(wrong)).to.have.length(1);
	});
});
