/** Clients send cursors back: an issued cursor is understood, and anything else is refused with one kind of error. */
import { expect } from "chai";
import fc from "fast-check";
import { BadRequestError } from "#shared/base/errors.ts";
import { decodeCursor, encodeCursor, refuseCursor } from "#shared/store/pages/cursor.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("decodeCursor()", () => {
	it("understands what encodeCursor() gives", () => {
		const value = fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger());
		fc.assert(
			fc.property(value, fc.string({ unit: "binary" }), (at, id) => {
				const cursor = encodeCursor({ value: at, id });
				expect(cursor).to.match(/^[\w-]+$/);
				expect(decodeCursor(cursor)).to.deep.equal({ value: Object.is(at, -0) ? 0 : at, id });
			}),
		);
	});

	it("refuses any other text with a RangeError", () => {
		const anything = fc.oneof(
			fc.string({ unit: "binary" }),
			fc.json().map((text) => Buffer.from(text).toString("base64url")),
		);
		fc.assert(
			fc.property(anything, (text) => {
				try {
					expect(decodeCursor(text)).to.have.keys(["value", "id"]);
				} catch (error) {
					expect(error).to.be.instanceOf(RangeError);
				}
			}),
		);
	});
});

describe("refuseCursor()", () => {
	it("turns a RangeError into a bad request, and passes every other error on", async () => {
		const refused = await failureOf(Promise.reject(new RangeError("This is not a cursor")).catch(refuseCursor));
		expect(refused).to.be.instanceOf(BadRequestError).and.to.include({ code: 400, type: "CURSOR_REFUSED" });
		const other = new Error("The disk is full");
		expect(await failureOf(Promise.reject(other).catch(refuseCursor))).to.equal(other);
	});
});
