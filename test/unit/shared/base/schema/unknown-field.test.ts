import { expect } from "chai";
import { schema } from "#shared/base/schema/schema.ts";
import { unknownField } from "#shared/base/schema/unknown-field.ts";

const fields = schema({
	name: { type: "string" },
	inner: { type: "object", props: { a: { type: "string" } } },
	list: { type: "array", items: { type: "object", props: { b: { type: "string" } } } },
	map: { type: "record", key: { type: "string" }, value: { type: "any" } },
});

describe("unknownField()", () => {
	const table: [value: unknown, path: string | undefined][] = [
		[{ name: "x", inner: { a: "x" }, list: [{ b: "x" }], map: { whatever: 1 } }, undefined],
		[{ nam: "x" }, "nam"],
		[{ inner: { a: "x", c: 1 } }, "inner.c"],
		[{ list: [{ b: "x" }, { c: 1 }] }, "list.1.c"],
		[{ toString: 1 }, "toString"],
		[{ name: { odd: 1 }, list: { odd: 1 }, inner: [1] }, undefined],
		[undefined, undefined],
		["text", undefined],
		[[{ nam: 1 }], undefined],
	];
	for (const [value, path] of table) {
		it(`finds ${path ?? "nothing"} in ${JSON.stringify(value)}`, () => {
			expect(unknownField(value, fields)).to.equal(path);
		});
	}
});
