import { expect } from "chai";
import { BodyBytes } from "#services/gateway/http/body-bytes.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";

describe("BodyBytes", () => {
	it("refuses whoever has more than a share when the gateway is full, and nobody else", () => {
		const bodies = new BodyBytes({ all: 100, ofOne: 80 });
		bodies.take("alice", 80);
		expect(() => bodies.take("alice", 1)).to.throw(TooManyRequestsError);
		bodies.take("bob", 20);
		for (const caller of ["bob", "carol"]) bodies.take(caller, 5);
		expect(() => bodies.take("bob", 10)).to.throw(TooManyRequestsError);
		bodies.leave("alice", 80);
		bodies.take("bob", 10);
	});
});
