import { expect } from "chai";
import { jsonText } from "#shared/base/schema/json-text.ts";
import { maxMessageBytes, refuseLargeRequest, refuseLargeResult } from "#shared/bus/message-size.ts";
import { RequestTooLargeError, ResultTooLargeError } from "#shared/base/errors.ts";

/** A value with exactly so many bytes as JSON. */
const sized = (bytes: number) => "x".repeat(bytes - 2);

describe("refuseLargeResult()", () => {
	it("returns results that fit a message, and no larger ones", () => {
		const result = sized(maxMessageBytes);
		expect(refuseLargeResult(result)).to.equal(result);
		expect(refuseLargeResult(undefined)).to.equal(undefined);
		expect(() => refuseLargeResult(sized(maxMessageBytes + 1))).to.throw(ResultTooLargeError);
		expect(() => refuseLargeResult("é".repeat(maxMessageBytes / 2))).to.throw(ResultTooLargeError);
	});

	it("counts the quotes of JSON text with two bytes each", () => {
		const quotes = '"'.repeat(maxMessageBytes / 2);
		expect(() => refuseLargeResult(jsonText(quotes))).to.throw(ResultTooLargeError);
		expect(() => refuseLargeResult(jsonText(quotes.replaceAll('"', "x")))).not.to.throw();
	});
});

describe("refuseLargeRequest()", () => {
	it("names the largest member", () => {
		const params = { small: "x", large: sized(maxMessageBytes), absent: undefined };
		expect(() => refuseLargeRequest(params)).to.throw(RequestTooLargeError, `"large" alone has ${maxMessageBytes}`);
		refuseLargeRequest({ small: "x", absent: undefined });
		refuseLargeRequest(undefined);
	});
});
