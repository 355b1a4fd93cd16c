import { expect } from "chai";
import { refuseByTime, refuseOtherKinds } from "#shared/base/tokens/jwt-rules.ts";
import { TokenRefusedError } from "#shared/base/tokens/token-refused.ts";

const at = 1_800_000_000;

function faultOf(attempt: () => unknown): string {
	try {
		attempt();
		return "none";
	} catch (error) {
		return error instanceof TokenRefusedError ? error.fault : String(error);
	}
}

describe("the rules for claims", () => {
	it("allow clocks that differ by 30 s, and an issuer that is 60 s ahead", () => {
		const fault = (claims: object) =>
			faultOf(() => refuseByTime({ iat: at - 300, exp: at + 300, ...claims }, at * 1_000));
		expect(fault({})).to.equal("none");
		expect(fault({ exp: at - 29 })).to.equal("none");
		expect(fault({ exp: at - 30 })).to.equal("expired");
		expect(fault({ nbf: at + 30 })).to.equal("none");
		expect(fault({ nbf: at + 31 })).to.equal("not-yet-valid");
		expect(fault({ iat: at + 60 })).to.equal("none");
		expect(fault({ iat: at + 61 })).to.equal("not-yet-valid");
		expect(fault({ iat: at + 301 }), "made after its end").to.equal("times");
	});

	it("tell access tokens from others", () => {
		const fault = (typ: string | undefined, claims: object) =>
			faultOf(() => refuseOtherKinds({ alg: "RS256", ...(typ !== undefined && { typ }) }, { ...claims }));
		for (const typ of ["at+jwt", "AT+JWT", "application/at+jwt"]) expect(fault(typ, {}), typ).to.equal("none");
		for (const claims of [
			{ scope: "a" },
			{ scp: ["a"] },
			{ client_id: "a" },
			{ cid: "a" },
			{ typ: "Bearer", nonce: "n" },
		])
			for (const typ of ["JWT", "jwt", undefined]) expect(fault(typ, claims)).to.equal("none");
		for (const claims of [
			{},
			{ azp: "a" },
			{ scope: "a", nonce: "n" },
			{ scope: "a", at_hash: "h" },
			{ typ: "ID", scope: "a" },
		])
			for (const typ of ["JWT", undefined]) expect(fault(typ, claims), JSON.stringify(claims)).to.equal("kind");
		for (const typ of ["id+jwt", "logout+jwt", "dpop+jwt", ""])
			expect(fault(typ, { scope: "a" }), typ).to.equal("kind");
		expect(fault("at+jwt", { typ: "Refresh" })).to.equal("kind");
	});
});
