import { expect } from "chai";
import fc from "fast-check";
import { isJsonText, jsonText, textOf, withValues } from "#shared/base/schema/json-text.ts";

describe("a JSON text", () => {
	it("stands for its value, whole or as the items of a page", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = jsonText(JSON.stringify(value));
				const same = JSON.parse(text.$json);
				expect(withValues<unknown>(text)).to.deep.equal(same);
				expect(withValues<unknown>({ items: text, next: "n" })).to.deep.equal({ items: same, next: "n" });
				expect(textOf(text)).to.equal(textOf(value));
			}),
		);
	});

	it("is passed on unchanged", () => {
		expect(textOf(jsonText('{ "a" : 1 }'))).to.equal('{ "a" : 1 }');
	});

	it("is not mistaken for another value", () => {
		const others = [undefined, null, 1, "x", [], {}, { $json: 1 }, { items: [jsonText("1")] }, { items: { a: 1 } }];
		for (const value of others) {
			expect(isJsonText(value)).to.equal(false);
			expect(withValues<unknown>(value)).to.equal(value);
		}
	});
});
