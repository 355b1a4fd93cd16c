import { expect } from "chai";
import fc from "fast-check";
import { Readable } from "node:stream";
import { readBounded } from "#shared/base/bounded-read.ts";
import { failureOf } from "../../../support/failure-of.ts";

const tooLarge = () => new RangeError("too large");

describe("readBounded()", () => {
	it("returns all bytes of a body that fits, cut in any way, and refuses one more byte", async () => {
		const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 });
		await fc.assert(
			fc.asyncProperty(pieces, async (chunks) => {
				const whole = Buffer.concat(chunks);
				const read = (maxBytes: number) => readBounded(Readable.from(chunks), { maxBytes, tooLarge });
				expect((await read(whole.length)).equals(whole)).to.equal(true);
				if (whole.length > 0) expect(await failureOf(read(whole.length - 1))).to.be.instanceOf(RangeError);
			}),
		);
	});

	it("stores nothing beyond the bound and ends the stream there", async () => {
		let made = 0;
		const endless = Readable.from(
			(function* () {
				while (made < 1_000) {
					made++;
					yield Buffer.alloc(10);
				}
			})(),
			{ highWaterMark: 1 },
		);
		const sizes: number[] = [];
		const reading = readBounded(endless, { maxBytes: 35, tooLarge, onChunk: (bytes) => sizes.push(bytes) });
		expect(await failureOf(reading)).to.be.instanceOf(RangeError);
		expect(sizes).to.deep.equal([10, 10, 10]);
		expect(endless.destroyed).to.equal(true);
		expect(made).to.be.below(10);
	});

	it("rejects with the error of the chunk's listener, and with the stream's own", async () => {
		const full = () => {
			throw new TypeError("no room");
		};
		const chunks = () => Readable.from([Buffer.alloc(1)]);
		expect(await failureOf(readBounded(chunks(), { maxBytes: 9, tooLarge, onChunk: full }))).to.be.instanceOf(
			TypeError,
		);
		const broken = new Readable({ read: () => broken.destroy(new Error("cut off")) });
		expect(await failureOf<Error>(readBounded(broken, { maxBytes: 9, tooLarge }))).to.have.property(
			"message",
			"cut off",
		);
	});
});
