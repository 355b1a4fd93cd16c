import { expect } from "chai";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { UnprocessableError } from "#shared/base/errors.ts";

describe("refuseOtherRequest()", () => {
	const first = fingerprintOf({ name: "a" });

	it("accepts the same request", () => {
		expect(() => refuseOtherRequest(first, fingerprintOf({ name: "a" }))).not.to.throw();
	});

	it("refuses another request, and any request when the first one has no fingerprint", () => {
		for (const former of [fingerprintOf({ name: "b" }), undefined, ""])
			expect(() => refuseOtherRequest(former, first)).to.throw(UnprocessableError, "used for another request");
	});
});
