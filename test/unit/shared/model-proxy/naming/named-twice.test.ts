import { expect } from "chai";
import fc from "fast-check";
import { isNamedTwice } from "#shared/model-proxy/naming/named-twice.ts";

describe("isNamedTwice()", () => {
	const twice = [
		'{"model":"a","model":"b"}',
		'{"model":"a","x":{"y":[1,"}"]},"mod\\u0065l":"b"}',
		'{"\\u006dodel":"a" , "model" : {}}',
		'{"x":"\\\\","model":1,"y":"\\"{","model":2}',
	];
	for (const text of twice) {
		it(`is true of ${text}`, () => expect(isNamedTwice(text, "model")).to.equal(true));
	}

	const once = [
		'{"model":"a"}',
		'{"model":"model","x":"model"}',
		'{"tools":[{"model":"b"},{"model":"c"}],"model":"a"}',
		'{"model":"a","x":"\\u0000 \\"model\\":"}',
		'{"x":{"model":1}}',
	];
	for (const text of once) {
		it(`is false of ${text}`, () => expect(isNamedTwice(text, "model")).to.equal(false));
	}

	it("is false for every serialised object", () => {
		const value = fc.dictionary(fc.constantFrom("model", "x", "\\", '"'), fc.jsonValue());
		fc.assert(fc.property(value, (object) => !isNamedTwice(JSON.stringify(object, null, 1), "model")));
	});

	it("detects a second member at any place", () => {
		const value = fc.dictionary(fc.constantFrom("x", "y", '"', "}"), fc.jsonValue());
		fc.assert(
			fc.property(value, value, (first, second) => {
				const [a, b] = [first, second].map((one) => JSON.stringify({ ...one, model: "m" }).slice(1, -1));
				expect(isNamedTwice(`{${a},${b}}`, "model")).to.equal(true);
			}),
		);
	});
});
