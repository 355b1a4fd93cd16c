import { expect } from "chai";
import { authorizeUrl } from "#services/integrations/oauth/authorize-url.ts";
import { definitionOf } from "../../../../support/integrations/oauth-definition.ts";

describe("authorizeUrl()", () => {
	// The verifier and its digest of RFC 7636, appendix B.
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
	const login = { state: "the-state", redirectUri: "https://svc.example/back?x=1", verifier };
	const client = { client_id: "ours", client_secret: "s3cret", auth_method: "post" } as const;

	it("has what RFC 6749 and RFC 7636 want, and no secret", () => {
		const definition = definitionOf({
			authorize_url: "https://p.example/auth?tenant=a",
			scopes: ["repo", "read:user"],
		});
		const url = new URL(authorizeUrl({ slug: "p", name: "P", definition, client }, login));
		expect(`${url.origin}${url.pathname}`).to.equal("https://p.example/auth");
		expect(Object.fromEntries(url.searchParams)).to.deep.equal({
			tenant: "a",
			client_id: "ours",
			redirect_uri: "https://svc.example/back?x=1",
			response_type: "code",
			state: "the-state",
			scope: "repo read:user",
			code_challenge: challenge,
			code_challenge_method: "S256",
		});
	});

	it("keeps its own parameters against those of a definition", () => {
		const extra = {
			state: "fixed",
			redirect_uri: "https://evil.example",
			code_challenge_method: "plain",
			prompt: "consent",
		};
		const definition = definitionOf({ extra_authorize_params: extra });
		const { searchParams } = new URL(authorizeUrl({ slug: "p", name: "P", definition, client }, login));
		expect(searchParams.get("state")).to.equal("the-state");
		expect(searchParams.getAll("redirect_uri")).to.deep.equal([login.redirectUri]);
		expect(searchParams.get("code_challenge_method")).to.equal("S256");
		expect(searchParams.get("prompt")).to.equal("consent");
		expect(searchParams.has("scope"), "without scopes the provider decides").to.equal(false);
	});
});
