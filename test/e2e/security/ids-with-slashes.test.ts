/** People whose ids have a slash, because their provider's ids are unique in a tenant only, at every route that names them. */
import { expect } from "chai";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const secret = "s".repeat(32);
const adapter = "services/gateway/identity-providers/forwarded.ts#ForwardedIdentity";

describe("ids with slashes", function () {
	this.timeout(60_000);
	let platform: TestPlatform;

	before(async () => {
		platform = await startPlatform({
			env: {
				IDENTITY__ADAPTER: adapter,
				IDENTITY__KWARGS__SECRET: secret,
				IDENTITY__KWARGS__NAMES_TENANTS: "true",
				IDENTITY__KWARGS__USER_IDS: "per-tenant",
				PODS__PEOPLE_SHARE_A_MACHINE: "they-trust-each-others-code",
			},
		});
	});
	after(() => platform[Symbol.asyncDispose]());

	async function ask(who: string, route: string, body?: object): Promise<{ status: number; body: unknown }> {
		const [method = "", path = ""] = route.split(" ");
		const [tenant = "", user = ""] = who.split("/");
		const answer = await fetch(`${platform.url}/api/v1/svc${path}`, {
			method,
			headers: {
				"x-auth-secret": secret,
				"x-auth-user-id": user,
				"x-auth-tenant": tenant,
				"x-auth-roles": user === "boss" ? "admin" : "developer",
				"content-type": "application/json",
			},
			...(body && { body: JSON.stringify(body) }),
		});
		const text = await answer.text();
		return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
	}

	it("name one person in every route, and not the one of the same name in another tenant", async () => {
		for (const who of ["acme/boss", "acme/bob", "other/boss", "other/bob"])
			expect((await ask(who, "GET /me")).body, who).to.include({ user_id: who });
		const bob = encodeURIComponent("acme/bob");
		expect((await ask("acme/boss", `PUT /budgets/users/${bob}`, { limit: 7 })).status).to.equal(200);
		expect((await ask("acme/boss", `GET /budgets/users/${bob}`)).body).to.include({ limit: 7 });
		const others = await ask("other/boss", `GET /budgets/users/${encodeURIComponent("other/bob")}`);
		expect(others.status).to.equal(200);
		expect(others.body).to.not.include({ limit: 7 });
		const corrected = await ask("acme/boss", `POST /budgets/users/${bob}/corrections`, { amount: 1, reason: "a test" });
		expect(corrected.status).to.equal(201);
		expect((await ask("acme/boss", `DELETE /budgets/users/${bob}`)).status).to.equal(204);
		expect((await ask("acme/boss", `GET /budgets/users/${bob}`)).body).to.not.include({ limit: 7 });
		expect((await ask("acme/boss", `POST /users/${bob}/reprovision`)).status).to.equal(202);
		expect((await ask("other/boss", `POST /users/${bob}/reprovision`)).status).to.equal(404);
		expect((await ask("acme/bob", `GET /budgets/users/${bob}`)).status).to.equal(403);
	});

	it("remove the member whom they name", async () => {
		expect((await ask("acme/carol", "GET /me")).status).to.equal(200);
		const member = { user_id: "acme/carol", role: "viewer" };
		expect((await ask("acme/boss", "POST /tenants/acme/members", member)).status).to.equal(201);
		const named = `DELETE /tenants/acme/members/${encodeURIComponent("acme/carol")}`;
		expect((await ask("other/boss", named)).status).to.equal(404);
		expect((await ask("acme/boss", named)).status).to.equal(204);
		const members = (await ask("acme/boss", "GET /tenants/acme/members")).body;
		expect(JSON.stringify(members)).to.include("acme/boss").and.not.include("acme/carol");
	});
});
