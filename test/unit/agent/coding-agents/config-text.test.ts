import { expect } from "chai";
import fc from "fast-check";
import { configText } from "#agent/coding-agents/config-text.ts";

describe("configText()", () => {
	it("writes JSON with the same value", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (content) => {
				expect(JSON.stringify(JSON.parse(configText("json", content)))).to.equal(JSON.stringify(content));
			}),
		);
		expect(configText("json", { a: 1 })).to.equal('{\n\t"a": 1\n}\n');
	});

	it("writes plain members of TOML before its tables, and names that are no words in quotes", () => {
		const content = { a: { b: { c: 1 }, "d e": "x" }, list: ["x", 2, true], "f.g": { h: "y" }, empty: {} };
		expect(configText("toml", content)).to.equal(
			'list = ["x", 2, true]\n[a]\n"d e" = "x"\n[a.b]\nc = 1\n["f.g"]\nh = "y"\n',
		);
	});

	it("escapes characters that TOML does not allow", () => {
		expect(configText("toml", { a: 'q"\\\n\u0001\u007f é' })).to.equal('a = "q\\"\\\\\\n\\u0001\\u007F é"\n');
	});

	it("refuses values that TOML cannot express", () => {
		for (const content of [[], "x", null]) expect(() => configText("toml", content)).to.throw(TypeError, "holds a map");
		for (const value of [null, NaN, Infinity, [null]])
			expect(() => configText("toml", { a: value })).to.throw(TypeError, "TOML cannot say");
	});
});
