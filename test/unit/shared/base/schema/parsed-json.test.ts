import { expect } from "chai";
import fc from "fast-check";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { isCount, objectsOf, parseJsonObject, textOf } from "#shared/base/schema/parsed-json.ts";

describe("values from outside", () => {
	it("are objects only when they are neither lists nor null", () => {
		expect([{}, { a: 1 }].map(isJsonObject)).to.deep.equal([true, true]);
		expect([null, [], "x", 1, undefined].map(isJsonObject)).to.deep.equal([false, false, false, false, false]);
		expect(objectsOf([{ a: 1 }, null, [], "x", {}])).to.deep.equal([{ a: 1 }, {}]);
		expect([undefined, {}, "x"].map(objectsOf)).to.deep.equal([[], [], []]);
	});

	it("are parsed without an error, whatever the text is", () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
				const read = parseJsonObject(text);
				if (read !== undefined) expect(JSON.parse(text)).to.deep.equal(read);
			}),
		);
		expect([parseJsonObject('{"a":1}'), parseJsonObject("[1]"), parseJsonObject("{")]).to.deep.equal([
			{ a: 1 },
			undefined,
			undefined,
		]);
	});

	it("are counts and texts only when they say something", () => {
		expect([0, 7].map(isCount)).to.deep.equal([true, true]);
		expect([-1, 1.5, NaN, 2 ** 53, "1", null].some(isCount)).to.equal(false);
		expect([textOf("x"), textOf(""), textOf(7), textOf(null)]).to.deep.equal(["x", undefined, undefined, undefined]);
	});
});
