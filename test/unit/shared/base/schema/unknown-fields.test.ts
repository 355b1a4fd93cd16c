import { expect } from "chai";
import { schema } from "#shared/base/schema/schema.ts";
import { unknownFields } from "#shared/base/schema/unknown-fields.ts";

const fields = schema({
	name: { type: "string" },
	inner: { type: "object", props: { a: { type: "string" } } },
	list: { type: "array", items: { type: "object", props: { b: { type: "string" } } } },
	map: { type: "record", key: { type: "string" }, value: { type: "any" } },
});

describe("unknownFields()", () => {
	const table: [value: unknown, ...paths: string[]][] = [
		[{ name: "x", inner: { a: "x" }, list: [{ b: "x" }], map: { whatever: 1 } }],
		[{ nam: "x" }, "nam"],
		[{ inner: { a: "x", c: 1 } }, "inner.c"],
		[{ list: [{ b: "x" }, { c: 1 }] }, "list.1.c"],
		[{ toString: 1 }, "toString"],
		[{ nam: "x", inner: { c: 1 }, list: [{ b: "x", d: 1 }] }, "nam", "inner.c", "list.0.d"],
		[{ name: { odd: 1 }, list: { odd: 1 }, inner: [1] }],
		[undefined],
		["text"],
		[[{ nam: 1 }]],
	];
	for (const [value, ...paths] of table) {
		it(`finds ${paths.join(" and ") || "nothing"} in ${JSON.stringify(value)}`, () => {
			expect(unknownFields(value, fields).map((path) => path.join("."))).to.deep.equal(paths);
		});
	}
});
