import { expect } from "chai";
import { requestIdOf } from "#services/gateway/http/request-id.ts";

const idOf = (given?: string) => requestIdOf({ headers: given === undefined ? {} : { "x-request-id": given } });

describe("requestIdOf()", () => {
	it("is the client's own name", () => {
		for (const own of ["a", "A-1_z", "x".repeat(64)]) expect(idOf(own)).to.equal(own);
	});

	it("is a new one each time if the client has none that is safe in a log", () => {
		for (const odd of [undefined, "", "x".repeat(65), "a b", "a\nb", "é"])
			expect(idOf(odd))
				.to.match(/^[0-9a-f-]{36}$/)
				.not.to.equal(idOf(odd));
	});
});
