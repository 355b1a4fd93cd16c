/** People log in at a real Keycloak. Night: Keycloak takes up to a minute to start. */
import { expect } from "chai";
import { KeycloakServer } from "../../support/identity/keycloak-server.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

describe("logins at Keycloak", function () {
	this.timeout(300_000);
	let keycloak: KeycloakServer;
	let platform: TestPlatform;

	before(async () => {
		keycloak = await KeycloakServer.start();
		platform = await startPlatform({
			config: {
				identity: {
					adapter: "services/gateway/identity-providers/oidc-team.ts#OidcTeamIdentity",
					kwargs: {
						issuer: keycloak.issuer,
						audience: "atelier",
						role_claim: "realm_access.roles",
						role_mapping: { "atelier-admin": "admin", "atelier-member": "viewer" },
					},
				},
			},
		});
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await keycloak?.[Symbol.asyncDispose]();
	});

	async function me(token = ""): Promise<{ status: number; email?: string; roles?: string[] }> {
		const client = platform.client({ authorization: `Bearer ${token}` });
		const { status, body } = await client.get<{ email?: string; roles?: string[] }>("/me");
		return { ...(status === 200 && body), status };
	}

	it("let people in, with the roles of the realm", async () => {
		const [ada, bob] = await Promise.all([keycloak.login("ada"), keycloak.login("bob")]);
		expect(await me(ada.access_token)).to.deep.include({
			status: 200,
			email: "ada@example.test",
			roles: ["admin", "developer"],
		});
		expect(await me(bob.access_token)).to.deep.include({ status: 200, email: "bob@example.test", roles: ["viewer"] });
	});

	it("are no ID tokens, no refresh tokens, and no tokens for another audience", async () => {
		const { access_token = "", id_token = "", refresh_token = "" } = await keycloak.login("ada");
		const machine = { grant_type: "client_credentials", client_id: "atelier-pat", client_secret: "s-pat" };
		const { access_token: foreign = "" } = await keycloak.tokens(machine);
		const wrong = { id_token, refresh_token, foreign, cut: access_token.slice(0, -1), longer: `${access_token}=` };
		for (const [what, token] of Object.entries(wrong)) {
			expect(token, what).to.have.length.above(100);
			expect((await me(token)).status, what).to.equal(401);
		}
		expect((await me(access_token)).status).to.equal(200);
	});
});
