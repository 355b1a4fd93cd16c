import { expect } from "chai";
import fc from "fast-check";
import { eventData, EventSplitter } from "#shared/model-proxy/metering/event-splitter.ts";

/** The result of a splitter for a text in pieces of these lengths, which are used repeatedly. */
function split(text: string, lengths: readonly number[], maxBytes?: number) {
	const splitter = new EventSplitter(maxBytes);
	const bytes = Buffer.from(text);
	const pieces = [];
	for (let at = 0, turn = 0; at < bytes.length; turn++) {
		const end = at + (lengths[turn % lengths.length] ?? bytes.length);
		pieces.push(...splitter.push(bytes.subarray(at, end)));
		at = end;
	}
	return [...pieces, ...splitter.end()].map(({ bytes: piece, isWhole }) => ({ text: String(piece), isWhole }));
}

const event = fc.tuple(fc.string({ maxLength: 20 }), fc.constantFrom("\n", "\r\n")).map(([text, end]) => {
	const line = text.replaceAll(/[\r\n]/g, "·");
	return `data: ${line}${end}${end}`;
});
const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });

describe("EventSplitter", () => {
	it("returns the same events for any chunks, unchanged", () => {
		fc.assert(
			fc.property(fc.array(event, { maxLength: 10 }), fc.string({ maxLength: 5 }), lengths, (events, rest, sizes) => {
				const tail = rest.replaceAll(/[\r\n]/g, "·");
				const expected = [...events, ...(tail === "" ? [] : [tail])].map((text) => ({ text, isWhole: true }));
				expect(split([...events, tail].join(""), sizes)).to.deep.equal(expected);
			}),
		);
	});

	it("returns a too long event in pieces, and the next one complete", () => {
		const long = `data: ${"x".repeat(100)}\n\n`;
		const pieces = split(`${long}data: y\n\n`, [10], 40);
		expect(pieces.map(({ text }) => text).join("")).to.equal(`${long}data: y\n\n`);
		expect(pieces.at(-1)).to.deep.equal({ text: "data: y\n\n", isWhole: true });
		const others = pieces.slice(0, -1);
		expect(others.every(({ isWhole }) => !isWhole)).to.equal(true);
		expect(Math.max(...others.map(({ text }) => text.length))).to.be.at.most(50);
	});

	it("ends an event at a blank line only", () => {
		expect(split("event: a\ndata: b\n\n:\n\n", [100]).map(({ text }) => text)).to.deep.equal([
			"event: a\ndata: b\n\n",
			":\n\n",
		]);
	});
});

describe("eventData()", () => {
	const table: [event: string, data: string][] = [
		["event: x\ndata: a\n\n", "a"],
		["data:a\r\ndata:  b\r\n\r\n", "a\n b"],
		["data\nid: 1\n\n", ""],
		[": comment\n\n", ""],
	];
	for (const [text, data] of table) {
		it(`reads ${JSON.stringify(text)}`, () => {
			expect(eventData(Buffer.from(text))).to.equal(data);
		});
	}
});
