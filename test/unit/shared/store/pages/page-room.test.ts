import { expect } from "chai";
import fc from "fast-check";
import { PageRoom } from "#shared/store/pages/page-room.ts";

/** The number of texts that fit one page. */
function taken(texts: readonly string[], limit: number, maxBytes?: number): number {
	const room = new PageRoom(limit, maxBytes);
	const first = texts.findIndex((text) => !room.take(text));
	return first === -1 ? texts.length : first;
}

/** The same with every text serialised as in a message. */
function takenByWriting(texts: readonly string[], limit: number, maxBytes: number): number {
	let bytes = 0;
	const first = texts.findIndex((text, at) => {
		bytes += Buffer.byteLength(JSON.stringify(text)) + 1;
		return at === limit || (at > 0 && bytes > maxBytes);
	});
	return first === -1 ? texts.length : first;
}

describe("PageRoom", () => {
	it("includes as many texts as fit, and the first one of any size", () => {
		const text = fc.string({ unit: fc.constantFrom("a", "b", '"', "\n", "ä", "😀"), maxLength: 60 });
		fc.assert(
			fc.property(
				fc.array(text, { maxLength: 30 }),
				fc.integer({ min: 1, max: 30 }),
				fc.integer({ min: 0, max: 1_500 }),
				(texts, limit, maxBytes) => {
					expect(taken(texts, limit, maxBytes)).to.equal(takenByWriting(texts, limit, maxBytes));
				},
			),
			{ numRuns: 500 },
		);
	});

	it("includes as many as the limit without a bound of bytes", () => {
		expect(taken(["a", "b", "c"], 2)).to.equal(2);
	});
});
