import { expect } from "chai";
import fc from "fast-check";
import { fitsJson, quotedBytes } from "#shared/base/schema/json-size.ts";

const text = fc.string({
	unit: fc.constantFrom("a", '"', "\\", "\n", "\u0001", "ä", "€", "😀", "\ud800"),
	maxLength: 30,
});

describe("fitsJson()", () => {
	it("agrees with the length of the text for any value and limit", () => {
		const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 });
		const near = fc.integer({ min: -300, max: 300 });
		fc.assert(
			fc.property(fc.oneof(value, text, fc.dictionary(text, value), fc.array(fc.double())), near, (sample, off) => {
				const bytes = Buffer.byteLength(JSON.stringify(sample));
				const limit = Math.max(0, bytes + off);
				expect(fitsJson(sample, limit), JSON.stringify({ sample, limit })).to.equal(bytes <= limit);
			}),
			{ numRuns: 200 },
		);
	});

	it("agrees for long texts too, JSON and others", () => {
		const long = fc.tuple(text, text, fc.integer({ min: 400, max: 800 }));
		fc.assert(
			fc.property(long, fc.integer({ min: -2, max: 2 }), ([one, other, times], off) => {
				const sample = { $json: one + JSON.stringify({ other, plain: "x".repeat(40) }).repeat(times) };
				const bytes = Buffer.byteLength(JSON.stringify(sample));
				expect(fitsJson(sample, bytes + off)).to.equal(off >= 0);
			}),
			{ numRuns: 100 },
		);
	});

	it("does not write a long JSON text", () => {
		let written = 0;
		const watched = { text: JSON.stringify({ a: "x".repeat(10_000), b: ["y", "z"] }), toJSON: () => written++ };
		expect([fitsJson(watched, 10_200), fitsJson(watched, 10_020)]).to.deep.equal([true, false]);
		expect(written).to.equal(0);
	});

	it("does not serialise a value if its lengths decide", () => {
		let written = 0;
		const watched = (length: number) => ({ a: "x".repeat(length), toJSON: () => written++ });
		expect([fitsJson(watched(100), 1_000), fitsJson(watched(2_000), 1_000)]).to.deep.equal([true, false]);
		expect(written).to.equal(0);
	});

	it("stops at the limit: a list of 100 MB is not read completely", () => {
		const list = Array.from({ length: 1_000 }, () => "x".repeat(100_000));
		let seen = 0;
		const counted = new Proxy(list, {
			get(target, name) {
				if (/^\d+$/.test(String(name))) seen++;
				return Reflect.get(target, name);
			},
		});
		expect(fitsJson(counted, 1_000_000)).to.equal(false);
		expect(seen).to.be.below(20);
	});
});

describe("quotedBytes()", () => {
	it("counts a text with its escapes in a message", () => {
		expect(quotedBytes('{"a":"ä"}')).to.equal(16);
		fc.assert(
			fc.property(text, fc.integer({ min: 0, max: 100 }), (sample, more) => {
				const whole = sample + "x".repeat(more);
				expect(quotedBytes(whole)).to.equal(Buffer.byteLength(JSON.stringify(whole)));
			}),
			{ numRuns: 200 },
		);
	});
});
