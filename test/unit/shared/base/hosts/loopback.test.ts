import { expect } from "chai";
import { isLoopback } from "#shared/base/hosts/loopback.ts";

describe("isLoopback()", () => {
	for (const host of ["localhost", "127.0.0.1", "127.9.0.1", "::1", "[::1]"]) {
		it(`knows ${host}`, () => expect(isLoopback(host)).to.equal(true));
	}

	for (const host of ["127.0.0.1.example", "localhost.example", "128.0.0.1", "0.0.0.0", "::", "[::2]", ""]) {
		it(`does not take "${host}" for it`, () => expect(isLoopback(host)).to.equal(false));
	}
});
