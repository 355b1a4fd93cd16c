/**
 * kill -9 in the middle of each change of tenants, people, members, tokens and credentials: what was acknowledged is there, the other
 * change is whole or not there, and no value of a deleted credential remains.
 * Night: it kills and starts the platform fifteen times.
 */
import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Member, Tenant } from "#shared/contracts/identity/tenants.ts";
import type { PersonalToken } from "#shared/contracts/pat/tokens.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { type CrashRow, testCrashes } from "../../support/crash-rows.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

type IssuedToken = PersonalToken & { token: string };

const users = [{ token: "token-of-bob", id: "bob", tenant: "default", roles: ["developer"] }];

describe("kill -9 in the middle of a change of people, tokens and credentials", function () {
	this.timeout(180_000);
	let platform: TestPlatform;
	let api: ApiClient;
	let bob: ApiClient;
	let tokens: ApiClient;
	let kept: IssuedToken;
	let revoked: IssuedToken;
	let dying: IssuedToken;

	before(async () => {
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
		api = platform.client();
		bob = platform.client({ authorization: "Bearer token-of-bob" });
		tokens = new ApiClient(`${platform.url}/api/v1/users`);
		expect((await api.post("/tenants", { name: "Kept", tenant_id: "kept" })).status).to.equal(201);
		expect((await api.post("/tenants", { name: "Gone", tenant_id: "gone" })).status).to.equal(201);
		expect((await addMember("dev-user")).status).to.equal(201);
		[kept, revoked, dying] = [await issue("kept"), await issue("revoked"), await issue("dying")];
		expect((await tokens.delete(`/tokens/${revoked.id}`)).status).to.equal(204);
		for (const name of ["kept", "changed", "deleted"]) expect((await put(name, "one")).status).to.equal(201);
	});
	after(() => platform?.[Symbol.asyncDispose]());

	const addMember = (user_id: string) => api.post("/tenants/kept/members", { user_id, role: "admin" });
	const removeMember = (id: string) => api.delete(`/tenants/kept/members/${id}`);
	const tenants = async () => (await api.get<Tenant[]>("/tenants")).body.map(({ id }) => id);
	const members = async () =>
		(await api.get<Member[]>("/tenants/kept/members")).body.map(({ user_id, role }) => `${user_id}: ${role}`);

	const peopleRows: readonly CrashRow[] = [
		{
			change: "the creation of a tenant",
			point: "tenants.written",
			send: () => api.post("/tenants", { name: "New", tenant_id: "new", parent_id: "kept" }),
			shows: async () => {
				expect(await tenants()).to.deep.equal(["default", "gone", "kept", "new"]);
				expect((await api.delete("/tenants/kept")).status, "it has one below it").to.equal(409);
			},
		},
		{
			change: "the first request of a person",
			point: "users.written",
			send: () => bob.get("/me"),
			shows: async () => {
				const people = (await api.get<{ id: string }[]>("/users")).body.map(({ id }) => id);
				expect(people).to.include.members(["bob", "dev-user"]);
			},
			// The next request of the person writes the membership.
			allows: async () => expect((await bob.get("/me")).status).to.equal(200),
		},
		{
			change: "the addition of a member",
			point: "memberships.written",
			send: () => addMember("bob"),
			shows: async () => expect(await members()).to.have.members(["bob: admin", "dev-user: admin"]),
		},
		{
			change: "the removal of a member",
			point: "memberships.written",
			send: () => removeMember("bob"),
			shows: async () => {
				expect(await members()).to.deep.equal(["dev-user: admin"]);
				expect((await removeMember("bob")).status, "removed already").to.equal(404);
				expect((await removeMember("dev-user")).status, "the last administrator").to.equal(409);
			},
		},
		{
			change: "the change of a tenant",
			point: "tenants.written",
			send: () => api.put("/tenants/kept", { max_sessions: 77 }),
			shows: async () =>
				expect((await api.get<Tenant>("/tenants/kept")).body).to.include({ max_sessions: 77, name: "Kept" }),
		},
		{
			change: "the deletion of a tenant",
			point: "tenants.written",
			send: () => api.delete("/tenants/gone"),
			shows: async () => {
				expect(await tenants()).to.deep.equal(["default", "kept", "new"]);
				expect((await api.post("/tenants", { name: "Again", tenant_id: "gone" })).status).to.equal(409);
			},
		},
	];

	const issue = async (name: string) => (await tokens.post<IssuedToken>("/tokens", { name })).body;
	const statuses = () =>
		Promise.all(
			[kept, revoked, dying].map(
				async ({ token }) => (await platform.client({ authorization: `Bearer ${token}` }).get("/prompts")).status,
			),
		);
	const tokensHold = async () => expect(await statuses()).to.deep.equal([200, 401, 200]);

	const tokenRows: readonly CrashRow[] = [
		{ change: "the issue of a token", point: "tokens.issued", given: tokensHold, send: () => issue("never stored") },
		{
			change: "the revocation of a token",
			point: "tokens.written",
			given: tokensHold,
			send: () => tokens.delete(`/tokens/${dying.id}`),
			allows: async () => {
				expect(await statuses()).to.deep.equal([200, 401, 401]);
				const { body } = await tokens.get<PersonalToken[]>("/tokens");
				expect(body.map(({ name }) => name)).to.deep.equal(["kept"]);
				expect((await issue("never stored")).token, "its name is free").to.be.a("string");
			},
		},
	];

	const put = (name: string, field: string) => api.post("/credentials", { name, data: { [field]: `canary-${field}` } });
	const keys = async (name: string) => (await api.get<{ keys?: string[] }>(`/credentials/${name}`)).body.keys;
	const given = async () => expect(await keys("kept"), "acknowledged before a kill").to.deep.equal(["one"]);
	const replacement = { change: "the replacement of a credential", given, send: () => put("changed", "two") };
	const deletion = { change: "the deletion of a credential", given, send: () => api.delete("/credentials/deleted") };

	/** Returns the stored files of credentials with their texts. */
	function files(): Map<string, string> {
		const folder = join(platform.dataDir, "credentials/user/dev-user");
		return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
	}

	const credentialRows: readonly CrashRow[] = [
		{ ...replacement, point: "credentials.files-removed" },
		{ ...deletion, point: "credentials.files-removed" },
		{ ...replacement, point: "credentials.written" },
		{
			...deletion,
			point: "credentials.written",
			allows: async () => {
				expect(await keys("kept")).to.deep.equal(["one"]);
				expect(["one", "two"]).to.include((await keys("changed"))?.join());
				expect((await put("changed", "three")).status).to.equal(201);
				expect([204, 404]).to.include((await api.delete("/credentials/deleted")).status);
				const stored = files();
				expect([...stored.keys()].toSorted()).to.deep.equal(["changed.json", "credentials.json", "kept.json"]);
				expect(stored.get("changed.json")).to.equal('{"three":"canary-three"}');
				expect([...stored.values()].join()).not.to.contain("canary-two");
			},
		},
	];

	testCrashes(() => platform, [...peopleRows, ...tokenRows, ...credentialRows]);
});
