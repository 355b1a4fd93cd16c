import { expect } from "chai";
import { refuseInvalid } from "#services/settings/secrets/secret-rules.ts";
import { BadRequestError, InvalidParametersError } from "#shared/base/errors.ts";

const secret = "s3cret";

describe("refuseInvalid()", () => {
	for (const name of ["a", "registry", "my-registry.example", "0", "a".repeat(63)])
		it(`takes the name "${name}"`, () => refuseInvalid({ name, data: { token: secret } }));

	for (const name of ["A", "-a", "a-", "a..b", ".a", "a_b", "a b", "a/b", "ü", "a".repeat(64), "a\n"]) {
		it(`refuses the name ${JSON.stringify(name)}`, () => {
			expect(() => refuseInvalid({ name, data: { token: secret } })).to.throw(BadRequestError, "Secret name");
		});
	}

	it("takes keys of letters, digits, hyphens, underscores and dots", () => {
		refuseInvalid({ name: "a", data: { "Api_Key-1.json": secret } });
	});

	for (const key of ["", "a b", "a/b", "ü", "x".repeat(254)]) {
		it(`refuses the key ${JSON.stringify(key.slice(0, 5))} of ${key.length} characters, without its value`, () => {
			const attempt = () => refuseInvalid({ name: "a", data: { [key]: secret } });
			expect(attempt).to.throw(InvalidParametersError).with.property("failures").that.has.length(1);
			expect(attempt)
				.to.throw(InvalidParametersError)
				.and.not.satisfy((error: object) => includesSecret(error));
		});
	}

	it("refuses a secret without values", () => {
		expect(() => refuseInvalid({ name: "a", data: {} })).to.throw(InvalidParametersError);
	});
});

function includesSecret(error: object): boolean {
	return JSON.stringify(error, Object.getOwnPropertyNames(error)).includes(secret);
}
