import { expect } from "chai";
import fc from "fast-check";
import { InvalidRequestError } from "#services/gateway/http/http-errors.ts";
import { parseObject } from "#services/gateway/http/json-body.ts";

/** A value that holds `inner` below these steps, each a list or a member. */
function wrapped(inner: string, steps: readonly boolean[]): string {
	return steps.reduce((json, isList) => (isList ? `[0,${json}]` : `{"a":${json}}`), inner);
}

describe("parseObject()", () => {
	it("reads every harmless object that is not too deep, like JSON.parse", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
				const text = JSON.stringify(value);
				fc.pre(!text.includes("__proto__"));
				expect(parseObject(Buffer.from(text))).to.deep.equal(JSON.parse(text));
			}),
			{ numRuns: 1_000 },
		);
	});

	it("finds the trap at any place, in any spelling", () => {
		const spelling = fc.constantFrom("__proto__", "\\u005f_proto__", "__pro\\u0074o__");
		fc.assert(
			fc.property(spelling, fc.array(fc.boolean(), { maxLength: 29 }), (name, steps) => {
				const text = `{"x":${wrapped(`{"${name}":{"admin":true}}`, steps)}}`;
				expect(() => parseObject(Buffer.from(text))).to.throw(InvalidRequestError);
				expect(Reflect.get({}, "admin")).to.equal(undefined);
			}),
			{ numRuns: 1_000 },
		);
	});

	it("reads 32 levels and refuses 33, at any width, without running out of stack", () => {
		for (const [levels, isRead] of [
			[32, true],
			[33, false],
			[100_000, false],
		] as const) {
			const text = `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
			const read = () => parseObject(Buffer.from(text));
			if (isRead) expect(read()).to.have.property("a");
			else expect(read).to.throw(InvalidRequestError);
		}
	});
});
