/** An unchanged list is not sent again: entity tags over HTTP, with the real gateway, sessions and store. */
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { type Answer, ApiClient } from "../../support/clients/api-client.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

/** Nothing changes by itself, because there is no pod manager. */
const processes = [["gateway", "stream", ...storingServices]];

describe("entity tags of the session list", function () {
	this.timeout(30_000);
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		platform = await startPlatform({ processes, readyAt: "/api/v1/svc/sessions" });
		api = new ApiClient(`${platform.url}/api/v1/svc`);
		for (const name of ["one", "two", "three"]) await api.post("/sessions", { name });
	});
	after(() => platform[Symbol.asyncDispose]());

	function list(tag = "", limit = 2): Promise<Answer<Session[]>> {
		return api.get("/sessions", { query: { limit }, headers: tag === "" ? {} : { "if-none-match": tag } });
	}

	async function tagged(): Promise<string> {
		const tag = (await list()).headers.get("etag");
		expect(tag).to.match(/^W\/"[\w-]{27}\+"$/);
		return tag ?? "";
	}

	it("answer 304 without a body while nothing changed, and 200 after any change a client can see", async () => {
		const tag = await tagged();
		const same = await list(tag);
		expect([same.status, same.text, same.headers.get("etag")]).to.deep.equal([304, "", tag]);
		expect(same.headers.get("cache-control")).to.equal("private, no-cache");
		expect((await list(`"other", ${tag}`)).status).to.equal(304);

		const [newest] = (await list()).body;
		await api.put(`/sessions/${newest?.id}`, { name: "renamed" });
		const changed = await list(tag);
		expect([changed.status, changed.body[0]?.name]).to.deep.equal([200, "renamed"]);
		expect(changed.headers.get("etag")).to.not.equal(tag);
	});

	it("differ by page, and go stale when a session joins or leaves", async () => {
		const tag = await tagged();
		expect((await list(tag, 1)).status).to.equal(200);
		const created = await api.post<Session>("/sessions", { name: "four" });
		const joined = await list(tag);
		expect(joined.status).to.equal(200);
		await api.delete(`/sessions/${created.body.id}`);
		expect((await list(joined.headers.get("etag") ?? "")).status).to.equal(200);
		expect((await list(tag)).status).to.equal(304);
	});

	it("are there with archived sessions too, and go stale when one of either list changes", async () => {
		const both = (tag?: string) => {
			const headers: Record<string, string> = tag === undefined ? {} : { "if-none-match": tag };
			return api.get<Session[]>("/sessions", { query: { include_archived: true }, headers });
		};
		const [newest, second] = (await both()).body;
		await api.post(`/sessions/${newest?.id}/archive`);
		for (const one of [newest, second]) {
			const tag = (await both()).headers.get("etag") ?? "";
			const same = await both(tag);
			expect([same.status, same.text, same.headers.get("etag")]).to.deep.equal([304, "", tag]);
			expect((await api.put(`/sessions/${one?.id}`, { name: "changed" })).status).to.equal(200);
			expect((await both(tag)).status).to.equal(200);
		}
	});

	it("differ when there are more pages", async () => {
		const all = await list("", 500);
		expect(all.headers.get("etag")).to.match(/^W\/"[\w-]{27}"$/);
	});

	it("are ignored when they are invalid or too many", async () => {
		for (const tag of ["*", "garbage", `W/"${"x".repeat(2_000)}"`]) expect((await list(tag)).status).to.equal(200);
	});
});
