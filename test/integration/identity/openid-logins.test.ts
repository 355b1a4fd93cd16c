/**
 * People log in at a real OpenID provider and call the platform with what it gives them. Everything else that looks like
 * a credential is refused.
 */
import { expect } from "chai";
import { createHmac } from "node:crypto";
import { exportSPKI } from "jose";
import type { Member } from "#shared/contracts/identity/tenants.ts";
import { eventually } from "../../support/eventually.ts";
import { goodClaims, hostileTokens } from "../../support/hostile/hostile-tokens.ts";
import { OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { signed, signingKey } from "../../support/identity/signing-keys.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const people = {
	ada: { email: "ada@example.test", groups: ["boss"], org: "acme" },
	bob: { email: "bob@example.test", groups: ["reader"], org: "acme" },
	eve: { email: "eve@example.test", groups: ["boss"], org: "evil" },
	nadia: { email: "nadia@example.test", groups: ["boss"], org: "newcomers" },
	zoe: { email: "zoe@example.test" },
};

interface Me {
	user_id: string;
	tenant_id: string;
	roles: string[];
	email: string;
}

describe("logins at an OpenID provider", function () {
	this.timeout(60_000);
	let provider: OpenIdProvider;
	let platform: TestPlatform;

	before(async () => {
		provider = await OpenIdProvider.listen(people);
		platform = await startPlatform({
			config: {
				identity: {
					adapter: "services/gateway/identity-providers/oidc.ts#OidcIdentity",
					kwargs: {
						issuer: provider.issuer,
						audience: "atelier",
						tenant_claim: "org",
						role_claim: "groups",
						role_mapping: { boss: "admin", reader: "viewer" },
					},
				},
				pods: { people_share_a_machine: "they-trust-each-others-code" },
			},
		});
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await provider?.[Symbol.asyncDispose]();
	});

	function withToken(token: string): ApiClient {
		return platform.client({ authorization: `Bearer ${token}` });
	}

	async function loggedIn(name: keyof typeof people): Promise<ApiClient> {
		return withToken((await provider.login(name)).accessToken);
	}

	const statusFor = async (token: string, path = "/me") => (await withToken(token).get(path)).status;

	it("tell clients where to log in", async () => {
		const { body } = await platform.client().get<{ issuer: string }>("/auth/config");
		expect(body).to.deep.include({ issuer: provider.issuer, device_authorization_supported: true });
	});

	it("on a machine that people share warn of it, in /health too", async () => {
		const { shortcomings = [] } = (await (await fetch(`${platform.url}/health`)).json()) as { shortcomings?: string[] };
		const [warning = ""] = shortcomings.filter((one) => one.includes("pods.people_share_a_machine"));
		expect(warning).to.include("files, keys and sessions of everybody else, of other tenants and of the platform");
		expect(platform.output.split(warning)).to.have.length(2);
	});

	it("let people in, with the tenant and role of their claims", async () => {
		const [ada, bob] = await Promise.all([loggedIn("ada"), loggedIn("bob")]);
		const { body } = await ada.get<Me>("/me");
		expect(body).to.deep.equal({
			user_id: "ada",
			email: "ada@example.test",
			tenant_id: "acme",
			roles: ["admin", "developer"],
			display_name: "ada",
			status: "active",
		});
		expect((await bob.get<Me>("/me")).body.roles).to.deep.equal(["viewer"]);
		expect((await bob.post("/prompts", { name: "x", content: "x" })).status).to.equal(403);
		expect((await bob.get("/users")).status).to.equal(403);
		const users = (await ada.get<{ id: string }[]>("/users")).body.map(({ id }) => id);
		expect(users).to.have.members(["ada", "bob"]);
		const zoe = await (await loggedIn("zoe")).get<{ detail: string }>("/me");
		expect([zoe.status, zoe.body.detail]).to.deep.equal([
			403,
			'Your token names no tenant, and you are a member of none: ask an administrator to add you (user id "zoe")',
		]);
	});

	it("are no other tokens: 401 for each, and the login goes on", async () => {
		const { accessToken, idToken } = await provider.login("ada");
		const at = Math.floor(Date.now() / 1_000);
		const good = { ...goodClaims({ issuer: provider.issuer, audience: "atelier", at }), ...people.ada };
		const { key } = provider;
		const [head = "", body = "", signature = ""] = accessToken.split(".");
		const pem = await exportSPKI(key.publicKey);
		const confused = `${Buffer.from(JSON.stringify({ alg: "HS256", kid: key.kid, typ: "at+jwt" })).toString("base64url")}.${body}`;
		const unsigned = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
		const stranger = await signingKey("RS256", key.kid);
		const wrong: Record<string, string> = {
			"an ID token": idToken,
			"an ID token for this audience": await signed(
				key,
				{ ...good, client_id: undefined, scope: undefined, nonce: "n" },
				{ typ: "JWT" },
			),
			"another audience": (await provider.login("ada", "other")).accessToken,
			"no audience": await signed(key, { ...good, aud: undefined }),
			"another issuer": await signed(key, { ...good, iss: `${provider.issuer}/` }),
			"an expired one": await signed(key, { ...good, iat: at - 100, exp: at - 40 }),
			"one without an end": await signed(key, { ...good, exp: undefined }),
			"one that is valid later": await signed(key, { ...good, nbf: at + 100 }),
			"one from the future": await signed(key, { ...good, iat: at + 100 }),
			"one that lives for a year": await signed(key, { ...good, exp: at + 31_536_000 }),
			"one without a subject": await signed(key, { ...good, sub: undefined }),
			"a stranger's key under the provider's name": await signed(stranger, good),
			"an unknown key": await signed(stranger, good, { kid: "unknown" }),
			"a key in the header": await signed(stranger, good, { jwk: stranger.jwk }),
			"the public key as a secret": `${confused}.${createHmac("sha256", pem).update(confused).digest("base64url")}`,
			"no algorithm": `${unsigned}.${body}.`,
			"no signature": `${head}.${body}.`,
			"changed claims": `${head}.${Buffer.from(JSON.stringify({ ...good, sub: "root" })).toString("base64url")}.${signature}`,
			"another spelling": `${accessToken}=`,
			"a cut one": accessToken.slice(0, -2),
			"a refresh token": await signed(key, { ...good, typ: "Refresh" }),
			"a logout token": await signed(key, good, { typ: "logout+jwt" }),
			"critical extensions": await signed(key, good, { typ: "at+jwt", kid: key.kid }).then(
				(token) => `${token}.${body}`,
			),
			"the word of a pod": "svcs_6f1b2c3d-0000-4000-8000-000000000001_1_" + "x".repeat(43),
			"an empty one": "",
		};
		const accepted = [];
		for (const [what, token] of Object.entries(wrong)) if ((await statusFor(token)) !== 401) accepted.push(what);
		expect(accepted).to.deep.equal([]);
		expect(Object.keys(wrong)).to.have.length.above(24);
		expect(await statusFor(accessToken)).to.equal(200);
		expect(await statusFor(await signed(key, good)), "the claims of the wrong ones are right otherwise").to.equal(200);
	});

	it("are none of the hostile tokens, over HTTP", async () => {
		const at = Math.floor(Date.now() / 1_000);
		const hostile = await hostileTokens({ issuer: provider.issuer, audience: "atelier", at, keys: [provider.key] });
		const sendable = hostile.filter(({ token }) => /^[\x21-\x7e]*$/.test(token) && token.length < 12_000);
		const accepted: string[] = [];
		const rest = [...sendable];
		const sender = async (): Promise<void> => {
			for (let next = rest.pop(); next; next = rest.pop()) {
				const answer = await withToken(next.token).get("/models");
				if (answer.status !== 401) accepted.push(`${next.what}: ${answer.status} ${answer.text}`);
			}
		};
		await Promise.all(Array.from({ length: 10 }, sender));
		expect(accepted).to.deep.equal([]);
		console.log(`      ${sendable.length} tokens sent, 0 accepted`);
	});

	it("do not read claims in headers", async () => {
		const headers = { "x-auth-user-id": "root", "x-auth-roles": "admin", "x-forwarded-user": "root" };
		expect((await platform.client(headers).get("/me")).status).to.equal(401);
		const { accessToken } = await provider.login("bob");
		const { body } = await platform.client({ ...headers, authorization: `Bearer ${accessToken}` }).get<Me>("/me");
		expect([body.user_id, body.roles]).to.deep.equal(["bob", ["viewer"]]);
	});

	it("keep tenants apart: others get the answers of an unknown id", async () => {
		const [ada, eve] = await Promise.all([loggedIn("ada"), loggedIn("eve")]);
		await ada.get("/me");
		expect((await eve.get<Me>("/me")).body.roles).to.include("admin");
		const attempts = (tenant: string, user: string) => [
			eve.get(`/tenants/${tenant}`),
			eve.put(`/tenants/${tenant}`, { max_sessions: 99 }),
			eve.delete(`/tenants/${tenant}`),
			eve.get(`/tenants/${tenant}/members`),
			eve.post(`/tenants/${tenant}/members`, { user_id: user, role: "admin" }),
			eve.delete(`/tenants/${tenant}/members/${user}`),
			eve.post(`/tenants/${tenant}/reprovision`),
			eve.post(`/users/${user}/reprovision`),
			eve.post("/tenants/evil/members", { user_id: user }),
			eve.post("/tenants", { name: "x", parent_id: tenant }),
		];
		const [foreign, unknown] = await Promise.all([
			Promise.all(attempts("acme", "ada")),
			Promise.all(attempts("none", "nob")),
		]);
		expect(foreign.map(({ status }) => status)).to.deep.equal(foreign.map(() => 404));
		const neutral = (text: string) => text.replaceAll(/acme|none/g, "T").replaceAll(/"ada|"nob/g, '"U');
		const texts = (answers: typeof foreign) => answers.map(({ text }) => neutral(text.replaceAll('\\"', '"')));
		expect(texts(foreign)).to.deep.equal(texts(unknown));
		expect((await eve.get<{ id: string }[]>("/tenants")).body.map(({ id }) => id)).to.deep.equal(["evil"]);
		expect((await eve.get<{ id: string }[]>("/users")).body.map(({ id }) => id)).to.deep.equal(["eve"]);
		const members = (await ada.get<Member[]>("/tenants/acme/members")).body.map(({ user_id }) => user_id);
		expect(members).to.include("ada").and.not.to.include("eve");
	});

	it("find their tenant unclaimed: nobody below the default tenant chooses an id that a provider may name", async () => {
		const eve = await loggedIn("eve");
		for (const tenant_id of ["newcomers", "default", "evil.team"]) {
			const taken = await eve.post("/tenants", { name: "Mine", tenant_id, parent_id: "evil" });
			expect(taken.status, taken.text).to.equal(403);
		}
		const below = await eve.post<{ id: string }>("/tenants", { name: "Mine", parent_id: "evil" });
		expect([below.status, below.body.id.length], below.text).to.deep.equal([201, 8]);
		const nadia = await loggedIn("nadia");
		expect((await nadia.get<Me>("/me")).body.tenant_id).to.equal("newcomers");
		expect((await eve.get("/tenants/newcomers/members")).status).to.equal(404);
	});

	it("end for a removed member within 10 s, also on an open stream, and not for others", async () => {
		const [ada, bob] = await Promise.all([provider.login("ada"), provider.login("bob")]);
		const admin = withToken(ada.accessToken);
		expect(await statusFor(bob.accessToken)).to.equal(200);
		const headers = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
		await using stream = await platform.events(headers(bob.accessToken));
		await using other = await platform.events(headers(ada.accessToken));
		let isOver = false;
		void stream.ended().then(() => (isOver = true));
		let isOverForOthers = false;
		void other.ended().then(() => (isOverForOthers = true));
		const began = performance.now();
		expect((await admin.delete("/tenants/acme/members/bob")).status).to.equal(204);
		const isOut = async () => (await statusFor(bob.accessToken)) === 403;
		await eventually(isOut, { withinMs: 30_000, what: "the removed member gets 403" });
		await eventually(() => isOver, { withinMs: 30_000, what: "the removed member's stream ends" });
		console.log(`      out after ${Math.round(performance.now() - began)} ms`);
		expect(isOverForOthers).to.equal(false);
		expect(await statusFor((await provider.login("bob")).accessToken), "a new login").to.equal(403);
		await admin.post("/tenants/acme/members", { user_id: "bob", role: "developer" });
		expect(await statusFor(bob.accessToken), "added again").to.equal(200);
		expect((await admin.delete("/tenants/acme/members/ada")).status, "the last administrator").to.equal(409);
	});

	it("go on with a new key of the provider, and end with the withdrawn one", async () => {
		const { accessToken: former } = await provider.login("ada");
		expect(await statusFor(former)).to.equal(200);
		await provider.useKey(await signingKey("ES256", "second"));
		const { accessToken: latter } = await provider.login("ada");
		// The key set is read at most every 10 s.
		await eventually(async () => (await statusFor(latter)) === 200, { withinMs: 30_000, what: "the new key is known" });
		expect(await statusFor(former)).to.equal(401);
		expect(provider.keyReads).to.be.below(10);
	});
});
