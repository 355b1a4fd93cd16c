import { expect } from "chai";
import fc from "fast-check";
import { LineSplitter } from "#agent/io/line-splitter.ts";

function linesOf(chunks: readonly Buffer[]): string[] {
	const lines: string[] = [];
	const splitter = new LineSplitter((line) => lines.push(line));
	for (const chunk of chunks) splitter.push(chunk);
	splitter.end();
	return lines;
}

/** The buffer in pieces, cut anywhere, also inside characters. */
function cutAnywhere(bytes: Buffer, cuts: readonly number[]): Buffer[] {
	const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
		(one, other) => one - other,
	);
	return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

describe("LineSplitter", () => {
	it("returns the same lines for any chunks", () => {
		const text = fc.string({ unit: fc.constantFrom("a", " ", "ä", "€", "😀", "\n") });
		fc.assert(
			fc.property(text, fc.array(fc.nat()), (content, cuts) => {
				const expected = content.split("\n").filter((line) => line.trim() !== "");
				expect(linesOf(cutAnywhere(Buffer.from(content), cuts))).to.deep.equal(expected);
			}),
		);
	});

	it("reads all ends of lines, and a progress bar as lines", () => {
		expect(linesOf([Buffer.from("a\r\nb\rc\n\n  \nd")])).to.deep.equal(["a", "b", "c", "d"]);
	});

	it("breaks lines without end into pieces", () => {
		const pieces = linesOf([Buffer.alloc(10_000, "x"), Buffer.alloc(10_000, "x")]);
		expect(pieces.join("")).to.have.length(20_000);
		expect(Math.max(...pieces.map(({ length }) => length))).to.be.at.most(8_192);
	});
});
