import { expect } from "chai";
import { ForwardedIdentity } from "#services/gateway/identity-providers/forwarded.ts";
import { OidcIdentity } from "#services/gateway/identity-providers/oidc.ts";
import { OidcTeamIdentity } from "#services/gateway/identity-providers/oidc-team.ts";
import { ConfigError } from "#shared/config/config.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const secret = "s".repeat(32);
const shown = { "x-auth-secret": secret, "x-auth-user-id": "ada" };

describe("the identity `forwarded`", () => {
	const identity = new ForwardedIdentity({ secret, names_tenants: true });

	async function person(headers: Record<string, string>, from = identity): Promise<unknown> {
		return (await from.authenticate(headers))?.person;
	}

	it("believes the proxy that shows the secret", async () => {
		expect(await person(shown)).to.deep.equal({ id: "ada", tenant: null });
		const all = {
			...shown,
			"x-auth-email": "ada@example.test",
			"x-auth-name": Buffer.from("Ada Öz").toString("latin1"),
			"x-auth-tenant": "acme",
			"x-auth-roles": "admin, x",
		};
		const wanted = { id: "ada", email: "ada@example.test", name: "Ada Öz", tenant: "acme", roles: ["admin"] };
		expect(await person(all)).to.deep.equal(wanted);
		expect(await person({ ...all, "x-auth-roles": "viewer, x" })).to.deep.equal({ ...wanted, roles: ["viewer"] });
		const strict = new ForwardedIdentity({ secret, names_tenants: true, default_role: "none" });
		const viewer = { ...shown, "x-auth-roles": "viewer" };
		expect(await person(viewer, strict)).to.deep.equal({ id: "ada", tenant: null, roles: ["viewer"] });
		expect(await failureOf(person(shown, strict)), "no role at all").to.be.instanceOf(ForbiddenError);
		const careful = new ForwardedIdentity({ secret, names_tenants: false, default_role: "viewer" });
		expect(await person(shown, careful)).to.deep.equal({ id: "ada", roles: ["viewer"] });
		expect(await failureOf(person({ ...shown, "x-auth-roles": "x" }, strict))).to.be.instanceOf(ForbiddenError);
	});

	it("reads roles in the one form that an argument names, so that the name of a group is never a list", async () => {
		const list = Buffer.from(JSON.stringify(["admin", "x"])).toString("base64");
		const named = new ForwardedIdentity({ secret, names_tenants: false, default_role: "viewer" });
		const listed = new ForwardedIdentity({
			secret,
			names_tenants: false,
			default_role: "viewer",
			roles_form: "base64-json",
		});
		const rolesBy = async (from: ForwardedIdentity, roles: string) =>
			((await person({ ...shown, "x-auth-roles": roles }, from)) as { roles: string[] }).roles;
		expect(list).to.equal("WyJhZG1pbiIsIngiXQ==");
		for (const group of [list, "WyJhZG1pbiJd"]) expect(await rolesBy(named, group)).to.deep.equal(["viewer"]);
		expect(await rolesBy(listed, list)).to.deep.equal(["admin"]);
		for (const other of ["admin", "admin, developer", "e30="])
			expect(await rolesBy(listed, other)).to.deep.equal(["viewer"]);
	});

	it("starts only if it is said whether the proxy names tenants, and concludes that from no request (Q4)", async () => {
		expect(() => new ForwardedIdentity({ secret })).to.throw(ConfigError, "names_tenants");
		const unnamed = new ForwardedIdentity({ secret, names_tenants: false });
		expect(await person({ ...shown, "x-auth-roles": "admin" })).to.deep.equal({
			id: "ada",
			tenant: null,
			roles: ["admin"],
		});
		expect(await person(shown, unnamed)).to.deep.equal({ id: "ada" });
		const named = person({ ...shown, "x-auth-tenant": "acme" }, unnamed);
		expect((await failureOf<ForbiddenError>(named)).type).to.equal("TENANT_NAMED");
	});

	it("makes two people of one id in two tenants, where the argument says so", async () => {
		const apart = new ForwardedIdentity({ secret, names_tenants: true, user_ids: "per-tenant" });
		const idIn = async (tenant: string, id: string) => {
			const headers = { ...shown, "x-auth-tenant": tenant, "x-auth-user-id": id };
			return ((await person(headers, apart)) as { id: string } | undefined)?.id;
		};
		expect(await idIn("acme", "bob")).to.equal("acme/bob");
		expect(await idIn("globex", "bob")).to.equal("globex/bob");
		expect(await idIn("a/b", "c")).to.not.equal(await idIn("a", "b/c"));
		expect(await idIn("acme", "x".repeat(251))).to.equal(undefined);
	});

	it("believes nobody else, and no value that could be two", async () => {
		const wrong: Record<string, string>[] = [
			{ "x-auth-user-id": "ada" },
			{ ...shown, "x-auth-secret": "" },
			{ ...shown, "x-auth-secret": secret.slice(1) },
			{ ...shown, "x-auth-secret": `${secret}, ${secret}` },
			{ "x-auth-secret": secret },
			{ ...shown, "x-auth-user-id": "" },
			{ ...shown, "x-auth-user-id": "mallory, ada" },
			{ ...shown, "x-auth-user-id": "x".repeat(256) },
			{ ...shown, "x-auth-user-id": "a\u0085b" },
			{ ...shown, "x-auth-user-id": "\u00FF" },
			{ ...shown, "x-auth-tenant": "acme, other" },
			{ ...shown, "x-auth-tenant": "" },
			{ authorization: `Bearer ${secret}`, "x-auth-user-id": "ada" },
		];
		for (const headers of wrong) expect(await person(headers), JSON.stringify(headers)).to.equal(undefined);
	});

	it("does not start without a secret, and no identity starts with a wrong value of an argument", () => {
		const oidc = { issuer: "https://login.example", audience: "atelier" };
		for (const make of [
			() => new ForwardedIdentity({}),
			() => new ForwardedIdentity({ secret: undefined }),
			() => new ForwardedIdentity({ secret: "short" }),
			() => new ForwardedIdentity({ secret }),
			() => new ForwardedIdentity({ secret, names_tenants: true, user_header: "authorization" }),
			() => new OidcIdentity({}),
			() => new OidcIdentity({ issuer: oidc.issuer }),
			() => new OidcIdentity({ ...oidc, issuer: "http://login.example" }),
			() => new OidcIdentity({ ...oidc, jwks_uri: "http://login.example/jwks" }),
			() => new OidcIdentity({ ...oidc, role_mapping: { boss: "root" } }),
			() => new OidcIdentity({ ...oidc, tenant_claim: "org", user_claim: "preferred_username" }),
			() => new OidcTeamIdentity({ ...oidc, tenant_claim: "org" }),
		])
			expect(make).to.throw(ConfigError).with.property("message").that.does.not.include(secret);
		expect(() => new OidcIdentity(oidc)).not.to.throw();
		expect([ForwardedIdentity.trustsCallers, OidcIdentity.trustsCallers]).to.deep.equal([false, false]);
		expect(OidcTeamIdentity.trustsCallers).to.equal(true);
	});
});
