import { expect } from "chai";
import fc from "fast-check";
import { fillAll, fillText } from "#agent/coding-agents/placeholders.ts";

const values = { model: "m", window: 7, "url:openai-chat": "http://x", empty: "" };

describe("fillText()", () => {
	const table: [text: string, filled: string][] = [
		["{model}", "m"],
		["a {model} b {window}", "a m b 7"],
		["{url:openai-chat}/v1", "http://x/v1"],
		["[{empty}]", "[]"],
		["{unknown} {Model} {} {{model}}", "{unknown} {Model} {} {m}"],
	];
	for (const [text, filled] of table) {
		it(`makes ${JSON.stringify(filled)} of ${JSON.stringify(text)}`, () => {
			expect(fillText(text, values)).to.equal(filled);
		});
	}

	it("fills no placeholder inside a value", () => {
		expect(fillText("{a}", { a: "{b}", b: "x" })).to.equal("{b}");
		expect(fillText("{a}", { a: "$&" })).to.equal("$&");
	});
});

describe("fillAll()", () => {
	it("fills texts, lists, maps and their keys, and makes a number of a placeholder that stands alone", () => {
		expect(
			fillAll({ "{model}": ["{window}", "{window} x", { a: "{empty}" }], b: null, c: true }, values),
		).to.deep.equal({
			m: [7, "7 x", { a: "" }],
			b: null,
			c: true,
		});
	});

	it("changes nothing without values", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(JSON.stringify(fillAll(value, {}))).to.equal(JSON.stringify(value));
			}),
		);
	});
});
