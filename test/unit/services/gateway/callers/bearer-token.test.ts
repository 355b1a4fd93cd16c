import { expect } from "chai";
import fc from "fast-check";
import { bearerToken } from "#services/gateway/callers/bearer-token.ts";

const token = fc.stringMatching(/^[\w.~+/-]{1,200}={0,2}$/);

describe("bearerToken()", () => {
	it("reads every token unchanged, with the scheme in any case", () => {
		const scheme = fc.constantFrom("Bearer ", "bearer ", "BEARER   ");
		fc.assert(
			fc.property(scheme, token, (before, sent) => {
				expect(bearerToken({ authorization: before + sent }, {})).to.equal(sent);
			}),
		);
	});

	it("reads no token from any other header, and never more than the header has", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), token, (noise, sent) => {
				const found = bearerToken({ authorization: `Bearer ${sent}${noise}` }, {});
				expect([`${sent}${noise}`, ""]).to.include(found);
				if (/[^\w.~+/=-]/.test(noise)) expect(found).to.equal("");
				expect(bearerToken({ authorization: `Basic ${sent}` }, {})).to.equal("");
			}),
		);
		expect(bearerToken({}, {})).to.equal(undefined);
		expect(bearerToken({ authorization: "" }, {})).to.equal("");
	});

	it("reads each header of a connection, however little it differs from the one before", () => {
		const lengths = fc.constantFrom(100, 248, 249, 700, 2_041, 2_042);
		fc.assert(
			fc.property(lengths, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (length, where) => {
				const at = Math.floor(where * length);
				const first = "a".repeat(length);
				const others = ["b", "~", " ", "é"].map((character) => first.slice(0, at) + character + first.slice(at + 1));
				const connection = {};
				for (const text of others.flatMap((other) => [first, first, other, other, `${other}=`, other])) {
					const authorization = `Bearer ${text}`;
					expect(bearerToken({ authorization }, connection)).to.equal(bearerToken({ authorization }, {}));
				}
				expect(bearerToken({}, connection)).to.equal(undefined);
			}),
		);
	});
});
