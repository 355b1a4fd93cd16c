/** Settings of several people: everybody has their own layout, and every tenant its own switches. */
import { expect } from "chai";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
	{ token: "token-of-dora", id: "dora", tenant: "acme", roles: ["admin"] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: ["admin"] },
];

interface ModuleView {
	key: string;
	enabled: boolean;
}

describe("settings of several people", function () {
	this.timeout(60_000);
	let platform: TestPlatform;

	before(async () => {
		const headers = { Authorization: "Bearer s3cret" };
		const mcp_servers = [{ name: "tickets", type: "http", url: "https://u:s3cret@tickets.example/mcp", headers }];
		platform = await startPlatform({
			config: { identity: { kwargs: { users } }, mcp_servers, stream: { heartbeat_seconds: 1 } },
		});
	});
	after(() => platform?.[Symbol.asyncDispose]());

	function as(name: string): ApiClient {
		return platform.client({ authorization: `Bearer token-of-${name}` });
	}

	async function modulesOf(name: string): Promise<ModuleView[]> {
		return (await as(name).get<ModuleView[]>("/features")).body;
	}

	it("only administrators turn switches and see the settings", async () => {
		const attempts = (name: string) => [
			as(name).put("/features/chat/toggle", { enabled: false }),
			as(name).get("/admin/settings"),
			as(name).put("/admin/settings", { storage: { home_enabled: false } }),
		];
		for (const name of ["alice", "bob"]) {
			const answers = await Promise.all(attempts(name));
			expect(answers.map(({ status }) => status)).to.deep.equal([403, 403, 403]);
		}
		expect((await modulesOf("dora")).find(({ key }) => key === "chat")).to.include({ enabled: true });
	});

	it("a module that is switched off is hidden from the tenant's users, and from no other tenant", async () => {
		await as("dora").put("/features/logs/toggle", { enabled: false });
		for (const name of ["alice", "bob"]) {
			expect((await modulesOf(name)).map(({ key }) => key)).not.to.include.members(["logs"]);
			const admin = await as(name).get("/features", { query: { scope: "admin" } });
			expect(admin.body).to.deep.equal([]);
		}
		expect((await modulesOf("dora")).find(({ key }) => key === "logs")).to.include({ enabled: false });
		expect((await modulesOf("carol")).find(({ key }) => key === "logs")).to.include({ enabled: true });
	});

	it("a layout is its user's own", async () => {
		const preferences = [{ feature_key: "chat", visible: false, sort_order: 1 }];
		await as("alice").put("/features/preferences", { preferences });
		expect((await as("alice").get("/features/preferences")).body).to.deep.equal(preferences);
		for (const name of ["bob", "dora", "carol"])
			expect((await as(name).get("/features/preferences")).body).to.deep.equal([]);
		await as("bob").put("/features/preferences", { preferences: [] });
		expect((await as("alice").get("/features/preferences")).body).to.deep.equal(preferences);
	});

	it("the settings are those of the tenant, and its users see what follows from them", async () => {
		await as("dora").put("/admin/settings", { storage: { home_enabled: true, file_manager_enabled: true } });
		for (const [name, expected] of [
			["alice", true],
			["dora", true],
			["carol", false],
		] as const)
			expect((await as(name).get("/feature-flags")).body).to.include({ file_manager_enabled: expected });
		expect((await as("carol").get("/admin/settings")).body).to.deep.equal({
			storage: { home_enabled: true, file_manager_enabled: false },
		});
	});

	it("a list that has not changed is 304", async () => {
		const { headers } = await as("alice").get("/features");
		const etag = headers.get("etag") ?? "";
		const known = { headers: { "if-none-match": etag } };
		const unchanged = await as("alice").get("/features", known);
		expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).to.deep.equal([304, "", etag]);
		await as("dora").put("/features/diffs/toggle", { enabled: false });
		expect((await as("alice").get("/features", known)).status).to.equal(200);
	});

	it("the values of an MCP server are for operators only, and not for administrators of a tenant", async () => {
		for (const name of ["alice", "bob"]) {
			const answers = [await as(name).get("/mcp-servers"), await as(name).get("/mcp-servers/tickets")];
			for (const { status, text } of answers) {
				expect(status).to.equal(200);
				expect(text).to.include('"Authorization":"***"').and.to.include("https://tickets.example/mcp");
				expect(text).not.to.include("s3cret");
			}
		}
		// A request without a token is one of the person who runs the platform.
		expect((await platform.client().get("/mcp-servers/tickets")).text).to.include("Bearer s3cret");
	});

	it("everybody may ask for the resources of this installation", async () => {
		const [first, ...others] = await Promise.all(users.map(({ id }) => as(id).get("/resources")));
		expect(first?.body).to.deep.include({ nodes: [] });
		for (const { text } of others) expect(text).to.equal(first?.text);
	});

	it("a secret is its user's own, also for administrators, and its values never come out", async () => {
		await using stream = await platform.events({ headers: { authorization: "Bearer token-of-alice" } });
		const data = { token: "value-that-stays-inside" };
		const created = await as("alice").post("/secrets", { name: "registry", data });
		const refused = await as("alice").post("/secrets", { name: "registry", data });
		const wrong = await as("alice").post("/secrets", { name: "Wrong Name", data });
		expect([created.status, refused.status, wrong.status]).to.deep.equal([201, 409, 400]);
		const seen = [
			created,
			refused,
			wrong,
			await as("alice").get("/secrets"),
			await as("alice").get("/secrets/registry"),
		];
		expect(seen.at(-1)?.body).to.deep.equal({ name: "registry", keys: ["token"] });

		for (const name of ["bob", "dora", "carol"]) {
			expect((await as(name).get("/secrets")).body).to.deep.equal([]);
			const foreign = await as(name).get("/secrets/registry");
			const unknown = await as(name).get("/secrets/unknown");
			expect([foreign.status, unknown.status]).to.deep.equal([404, 404]);
			expect(foreign.text.replace("registry", "unknown")).to.equal(unknown.text);
			seen.push(foreign);
		}
		expect((await as("bob").post("/secrets", { name: "registry", data })).status).to.equal(201);
		await stream.event(({ event }) => event === "heartbeat");
		const told = [...seen.map(({ text }) => text), ...stream.events.map((event) => event.data), platform.output];
		expect(told.join("\n")).not.to.include(data.token);
	});
});
