/**
 * kill -9 in the middle of each change of users, tenants and members: what was acknowledged is there, and the other change
 * is whole. Long: it kills and starts the platform six times.
 */
import { expect } from "chai";
import type { Member, Tenant } from "#shared/contracts/identity/tenants.ts";
import { killedAt, noAnswer } from "../../support/killed-at.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [{ token: "token-of-bob", id: "bob", tenant: "default", roles: ["developer"] }];

describe("kill -9 in the middle of a change of people", function () {
	this.timeout(180_000);
	let platform: TestPlatform;

	before(async () => {
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	/** The platform dies when it has written, before it answers, and starts again without the failpoint. */
	async function killedIn(failpoint: string, request: () => Promise<unknown>): Promise<void> {
		expect(await killedAt(platform, failpoint, request)).to.equal(noAnswer);
	}

	it("loses nothing that was acknowledged, and halves nothing", async () => {
		const api = platform.client();
		const bob = platform.client({ authorization: "Bearer token-of-bob" });
		const tenants = async () => (await api.get<Tenant[]>("/tenants")).body.map(({ id }) => id);
		const members = async () => (await api.get<Member[]>("/tenants/kept/members")).body.map(({ role }) => role);
		const people = async () => (await api.get<{ id: string }[]>("/users")).body.map(({ id }) => id);
		expect((await api.post("/tenants", { name: "Kept", tenant_id: "kept" })).status).to.equal(201);
		expect((await api.post("/tenants", { name: "Gone", tenant_id: "gone" })).status).to.equal(201);

		await killedIn("tenants.written", () => api.post("/tenants", { name: "New", tenant_id: "new", parent_id: "kept" }));
		expect(await tenants()).to.deep.equal(["default", "gone", "kept", "new"]);
		expect((await api.delete("/tenants/kept")).status, "it has one below it").to.equal(409);

		await killedIn("users.written", () => bob.get("/me"));
		expect(await people()).to.include.members(["bob", "dev-user"]);
		expect((await bob.get("/me")).status).to.equal(200);

		await killedIn("memberships.written", () => api.post("/tenants/kept/members", { user_id: "bob", role: "admin" }));
		expect(await members()).to.deep.equal(["admin"]);
		await api.post("/tenants/kept/members", { user_id: "dev-user", role: "admin" });

		await killedIn("memberships.written", () => api.delete("/tenants/kept/members/bob"));
		expect(await members()).to.deep.equal(["admin"]);
		expect((await api.delete("/tenants/kept/members/bob")).status, "removed already").to.equal(404);
		expect((await api.delete("/tenants/kept/members/dev-user")).status, "the last administrator").to.equal(409);

		await killedIn("tenants.written", () => api.put("/tenants/kept", { max_sessions: 77 }));
		expect((await api.get<Tenant>("/tenants/kept")).body).to.include({ max_sessions: 77, name: "Kept" });

		await killedIn("tenants.written", () => api.delete("/tenants/gone"));
		expect(await tenants()).to.deep.equal(["default", "kept", "new"]);
		expect((await api.post("/tenants", { name: "Again", tenant_id: "gone" })).status).to.equal(409);
	});
});
