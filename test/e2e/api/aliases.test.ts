/** Clients of the original reach the platform by the product names and methods that they know. */
import { expect } from "chai";
import { ApiClient } from "../../support/clients/api-client.ts";
import { SseClient } from "../../support/clients/sse-client.ts";
import { runningSession, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

/** The names of the original, and once more the platform's own. */
const aliases = ["volundr", "niuu", "svc"];

describe("aliases", function () {
	this.timeout(60_000);
	let platform: TestPlatform;

	before(async () => {
		platform = await startPlatform({ config: { gateway: { aliases } } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	function product(name: string): ApiClient {
		return new ApiClient(`${platform.url}/api/v1/${name}`);
	}

	it("serve a session from its start to its end, with POST for archive and restore", async () => {
		await using stream = await SseClient.open(`${platform.url}/api/v1/volundr/sessions/stream`);
		const api = product("volundr");
		const { id } = await runningSession(api);
		await stream.event(({ event, data }) => event === "session_updated" && data.includes(id));
		const status = async (name: string) => (await product(name).get<SessionView>(`/sessions/${id}`)).body.status;
		expect((await api.post(`/sessions/${id}/archive`)).status).to.equal(200);
		for (const name of ["svc", ...aliases]) expect(await status(name), name).to.equal("archived");
		expect((await api.post(`/sessions/${id}/archive`)).status).to.equal(409);
		expect((await product("niuu").post(`/sessions/${id}/restore`)).status).to.equal(200);
		expect(await status("svc")).to.equal("stopped");
		expect((await api.request("PATCH", `/sessions/${id}/archive`)).status).to.equal(200);
		expect((await api.request("PATCH", `/sessions/${id}/restore`)).status).to.equal(200);
		expect((await api.delete(`/sessions/${id}`)).status).to.equal(204);
		await stream.event(({ event, data }) => event === "session_deleted" && data.includes(id));
	});

	it("stay in the URL of the next page and of a redirection", async () => {
		const { headers } = await product("volundr").get("/features", { query: { limit: 2 } });
		expect(headers.get("link")).to.match(/^<\/api\/v1\/volundr\/features\?limit=2&cursor=/);
		const slash = await product("niuu").get("/features/");
		expect([slash.status, slash.headers.get("location")]).to.deep.equal([307, "/api/v1/niuu/features"]);
	});

	it("are the configured ones only, and health is outside of all of them", async () => {
		for (const path of ["/api/v1/other/features", "/api/v1/volundr/health", "/features"]) {
			const { status, headers } = await new ApiClient(platform.url).get(path);
			expect([status, headers.get("x-error-code")], path).to.deep.equal([404, "UNKNOWN_PATH"]);
		}
		const { status, body } = await new ApiClient(platform.url).get("/health");
		expect(status).to.equal(200);
		expect(body).to.include({ status: "healthy" });
	});

	it("are not in the description of the API, which has each operation once", async () => {
		const { body } = await new ApiClient(platform.url).get<{ paths: Record<string, unknown> }>("/openapi.json");
		const prefixes = Object.keys(body.paths).map((path) => path.split("/").slice(0, 4).join("/"));
		const expected = new Set(["/api/v1/svc", "/api/v1/users", "/api/v1/niuu"]);
		expect(new Set(prefixes.filter((prefix) => prefix.startsWith("/api/")))).to.deep.equal(expected);
	});
});
