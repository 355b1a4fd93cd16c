/** The identities of people who are admitted by the platform pass the suite of every identity provider. */
import { expect } from "chai";
import { decodeJwt } from "jose";
import { OidcIdentity } from "#services/gateway/identity-providers/oidc.ts";
import { OidcTeamIdentity } from "#services/gateway/identity-providers/oidc-team.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { failureOf } from "../support/failure-of.ts";
import { KeyServer } from "../support/identity/key-server.ts";
import { signed, signingKey, type SigningKey } from "../support/identity/signing-keys.ts";
import { describeIdentityProvider } from "./identity-provider.contract.ts";

let server: KeyServer;
let key: SigningKey;

before(async () => {
	key = await signingKey("ES256");
	server = await KeyServer.listen([key.jwk]);
});
after(() => server[Symbol.asyncDispose]());

async function tokenFor(claims: Record<string, unknown>): Promise<string> {
	const at = Math.floor(Date.now() / 1_000);
	return signed(key, { iss: server.issuer, aud: "atelier", iat: at, exp: at + 300, ...claims });
}

for (const Adapter of [OidcIdentity, OidcTeamIdentity])
	describeIdentityProvider(Adapter.name, async () => {
		const identity = new Adapter({ issuer: server.issuer, audience: "atelier", role_claim: "realm_access.roles" });
		const token = await tokenFor({ sub: "ada", email: "ada@example.test", realm_access: { roles: ["x", "admin"] } });
		return {
			identity,
			known: [
				{
					authorization: `Bearer ${token}`,
					found: {
						kind: "claimed",
						person: { id: "ada", email: "ada@example.test", roles: ["admin"], as_of: issuedAt(token) },
					},
				},
			],
			nobody: undefined,
		};
	});

/** The time at which a token was issued, in milliseconds since 1970. */
function issuedAt(token: string): number {
	return (decodeJwt(token).iat ?? 0) * 1_000;
}

describe("the claims of a login token", () => {
	/** Returns the person without the time of the claims, which is that of the token. */
	async function personOf(kwargs: object, claims: Record<string, unknown>): Promise<unknown> {
		const identity = new OidcIdentity({ issuer: server.issuer, audience: "atelier", ...kwargs });
		const token = await tokenFor({ sub: "ada", ...claims });
		const found = await identity.authenticate({ authorization: `Bearer ${token}` }, {});
		if (!found) return undefined;
		const { as_of, ...person } = { as_of: undefined, ...found.person };
		expect(as_of).to.equal(issuedAt(token));
		return person;
	}

	it("are found where the configuration says", async () => {
		const kwargs = {
			user_claim: "oid",
			user_ids: "unique",
			tenant_claim: "https://example.test/org",
			role_claim: ["resource_access", "atelier.web", "roles"],
			role_mapping: { boss: "admin", reader: "viewer" },
		};
		const claims = {
			oid: "u-1",
			"https://example.test/org": "acme",
			resource_access: { "atelier.web": { roles: ["reader", "boss", "admin"] } },
		};
		expect(await personOf(kwargs, claims)).to.deep.equal({ id: "u-1", tenant: "acme", roles: ["viewer", "admin"] });
		expect(await personOf(kwargs, {}), "a claim that names nobody").to.equal(undefined);
		const other = {
			...claims,
			"https://example.test/org": 7,
			resource_access: { "atelier.web": { roles: ["admin"] } },
		};
		expect(await personOf(kwargs, other)).to.deep.equal({ id: "u-1", tenant: null, roles: ["developer"] });
	});

	it("say nothing about roles where no claim is configured, except of administrators by subject", async () => {
		expect(await personOf({}, { roles: ["admin"], email: "root@example.test" })).to.deep.equal({
			id: "ada",
			email: "root@example.test",
		});
		expect(await personOf({ administrators: ["ada"] }, {})).to.deep.equal({ id: "ada", roles: ["admin"] });
		expect(
			await personOf({ administrators: ["root@example.test"] }, { email: "root@example.test" }),
		).not.to.have.property("roles");
	});

	it("leave people without a role to the configuration, also where no claim has roles", async () => {
		const strict = { administrators: ["ada"], default_role: "none" };
		expect(await personOf(strict, {})).to.deep.equal({ id: "ada", roles: ["admin"] });
		expect(await failureOf(personOf(strict, { sub: "eve" }))).to.be.instanceOf(ForbiddenError);
		expect(await personOf({ default_role: "viewer" }, {})).to.deep.equal({ id: "ada", roles: ["viewer"] });
	});

	it("are those of a login, which does not live for long", async () => {
		const at = Math.floor(Date.now() / 1_000);
		expect(await personOf({}, { exp: at + 86_401 })).to.equal(undefined);
		expect(await personOf({ max_lifetime_seconds: 604_800 }, { exp: at + 86_401 })).to.deep.equal({ id: "ada" });
	});
});
