import { expect } from "chai";
import fc from "fast-check";
import { bearerToken } from "#services/gateway/callers/bearer-token.ts";

const token = fc.stringMatching(/^[\w.~+/-]{1,200}={0,2}$/);

describe("bearerToken()", () => {
	it("reads every token unchanged, with the scheme in any case", () => {
		const scheme = fc.constantFrom("Bearer ", "bearer ", "BEARER   ");
		fc.assert(
			fc.property(scheme, token, (before, sent) => {
				expect(bearerToken({ authorization: before + sent })).to.equal(sent);
			}),
		);
	});

	it("reads no token from any other header, and never more than the header has", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), token, (noise, sent) => {
				const found = bearerToken({ authorization: `Bearer ${sent}${noise}` });
				expect([`${sent}${noise}`, ""]).to.include(found);
				if (/[^\w.~+/=-]/.test(noise)) expect(found).to.equal("");
				expect(bearerToken({ authorization: `Basic ${sent}` })).to.equal("");
			}),
		);
		expect(bearerToken({})).to.equal(undefined);
		expect(bearerToken({ authorization: "" })).to.equal("");
	});
});
