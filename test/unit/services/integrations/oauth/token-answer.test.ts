import { expect } from "chai";
import { credentialFields, tokenAnswer } from "#services/integrations/oauth/token-answer.ts";

const json = "application/json; charset=utf-8";

describe("tokenAnswer()", () => {
	const read = (value: unknown, type = json) =>
		tokenAnswer(typeof value === "string" ? value : JSON.stringify(value), type);

	it("reads the tokens of JSON and of a form", () => {
		const members = { access_token: "a", refresh_token: "r", token_type: "bearer", expires_in: 60, scope: "repo" };
		const tokens = { access_token: "a", refresh_token: "r", expires_in: 60 };
		expect(read(members)).to.deep.include(tokens);
		const form = "access_token=a&refresh_token=r&token_type=bearer&expires_in=60";
		expect(read(form, "application/x-www-form-urlencoded")).to.deep.include(tokens);
	});

	it("reads a refusal, also one with the status of a success, and repeats only its word", () => {
		expect(read({ error: "bad_verification_code" })).to.deep.equal({ refused: "bad_verification_code" });
		expect(read({ error: "<script>alert(1)</script>" })).to.deep.equal({ refused: "an unknown error" });
	});

	const unusable: [what: string, value: unknown][] = [
		["a page", "<!doctype html><html><body>Sign in</body></html>"],
		["nothing", ""],
		["a list", "[]"],
		["null", "null"],
		["no token", { token_type: "bearer" }],
		["an empty token", { access_token: "" }],
		["a token that is no text", { access_token: 5 }],
		["a token with a line end", { access_token: "a\r\nset-cookie: b" }],
		["a token with a blank", { access_token: "a b" }],
		["a token that is too long", { access_token: "a".repeat(8_193) }],
		["another type", { access_token: "a", token_type: "mac" }],
		["a type that is no text", { access_token: "a", token_type: {} }],
	];
	for (const [what, value] of unusable) it(`does not use ${what}`, () => expect(read(value)).to.equal(undefined));

	for (const expires_in of [0, -5, "soon", null, Number.NaN])
		it(`knows no end for expires_in ${expires_in}`, () => {
			expect(read({ access_token: "a", expires_in })).not.to.have.property("expires_in");
		});

	it("believes no more than ten years", () => {
		expect(read({ access_token: "a", expires_in: 1e300 })).to.include({ expires_in: 315_360_000 });
		expect(read({ access_token: "a", expires_in: "3600" })).to.include({ expires_in: 3_600 });
	});
});

describe("credentialFields()", () => {
	const tokens = { access_token: "a", texts: { access_token: "a", id_token: "i" } };

	it("maps members of the answer to fields, beside the tokens", () => {
		const token_field_mapping = { token: "access_token", identity: "id_token", none: "absent", odd: "__proto__" };
		expect(credentialFields({ token_field_mapping }, { ...tokens, refresh_token: "r" })).to.deep.equal({
			token: "a",
			identity: "i",
			access_token: "a",
			refresh_token: "r",
		});
	});

	it("keeps the former refresh token when there is no new one", () => {
		const fields = credentialFields({ token_field_mapping: {} }, tokens, "former");
		expect(fields).to.deep.equal({ access_token: "a", refresh_token: "former" });
		expect(credentialFields({ token_field_mapping: {} }, tokens)).to.deep.equal({ access_token: "a" });
	});
});
