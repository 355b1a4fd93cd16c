/** The routes of a login as browsers and callers meet them, with the services in the gateway's process and in another one. */
import { expect } from "chai";
import { collections } from "#services/integrations/compose.ts";
import { oauthService } from "#services/integrations/oauth.service.ts";
import { OAuthTokens } from "#services/integrations/oauth-tokens.ts";
import { oauth } from "#shared/contracts/integrations/oauth.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { ApiClient } from "../../../support/clients/api-client.ts";
import { OAuthServer } from "../../../support/identity/oauth-server.ts";
import { LoginDesk, redirectUri, slug } from "../../../support/integrations/login-desk.ts";
import { startGateway, type TestGateway } from "../../../support/platform/start-gateway.ts";
import { openEmbedded } from "../../../support/stores/open-stores.ts";

const callback = "/integrations/oauth/callback";

for (const nodes of [1, 2] as const) {
	describe(`the routes of a login, with ${nodes} broker(s)`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let server: OAuthServer;
		let desk: LoginDesk;
		let gateway: TestGateway;

		before(async () => {
			opened = await openEmbedded(collections);
			server = await OAuthServer.listen({ redirectUri });
			desk = new LoginDesk({ store: opened.store, server });
			const { logins, states } = desk;
			const services = [oauthService({ logins, states, tokens: new OAuthTokens() })];
			gateway = await startGateway({ nodes, contracts: [oauth], services });
		});
		after(async () => {
			await gateway?.stop();
			desk?.close();
			await server?.[Symbol.asyncDispose]();
			await opened?.discard();
		});

		const api = (headers: Record<string, string> = {}) => new ApiClient(`http://${gateway.host}/api/v1/svc`, headers);
		const asked = (name: string, path = `/integrations/oauth/${slug}/authorize`) =>
			api({ authorization: `Bearer token-of-${name}` }).get<{ url: string }>(path);
		/** Follows a redirect of the provider like a browser with this cookie. */
		const followed = (back: URL, cookie = "") =>
			api(cookie === "" ? {} : { cookie }).get<string>(`${callback}${back.search}`);

		it("give the browser a mark, and connect without a question in that browser alone", async () => {
			const begun = await asked("alice");
			expect(Object.keys(begun.body)).to.deep.equal(["url"]);
			const set = begun.headers.get("set-cookie") ?? "";
			expect(set).to.match(/^atelier_browser=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
			const cookie = set.split(";")[0] ?? "";
			const back = await server.approve(begun.body.url, "alice");
			const elsewhere = (await asked("bob")).headers.get("set-cookie")?.split(";")[0];
			for (const other of ["", elsewhere, `${cookie}x`, "atelier_browser="])
				expect((await followed(back, other)).text)
					.to.contain("Connect Forge?")
					.and.contain("alice");
			const ended = await followed(back, `theme=dark; ${cookie}`);
			expect([ended.status, ended.text.includes("Forge is connected")]).to.deep.equal([200, true]);
			const headers = Object.fromEntries(ended.headers);
			expect(headers["content-type"]).to.equal("text/html; charset=utf-8");
			expect(headers["content-security-policy"]).to.contain("default-src 'none'").and.contain("frame-ancestors 'none'");
			expect([headers["referrer-policy"], headers["cache-control"]]).to.deep.equal(["no-referrer", "no-store"]);
			expect(headers, "only those who begin a login get a mark").not.to.have.property("set-cookie");
			expect((await followed(back, cookie)).headers.get("x-error-code")).to.equal("OAUTH_STATE");
			expect(desk.kept.fieldsOf({ tenant: "acme", owner: "alice" }, slug)).to.have.property("token");
		});

		it("are not used up by a program that looks at the link", async () => {
			const begun = await asked("alice");
			const back = await server.approve(begun.body.url, "alice");
			const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
			const path = `http://${gateway.host}/api/v1/svc${callback}${back.search}`;
			const looked = await fetch(path, { method: "HEAD", headers: { cookie } });
			expect([looked.status, looked.headers.get("allow")]).to.deep.equal([405, "GET"]);
			expect((await followed(back, cookie)).text).to.contain("is connected");
		});

		it("are for people who may change something", async () => {
			const path = `/integrations/oauth/${slug}`;
			expect((await api({ authorization: "Bearer nobody" }).get(`${path}/authorize`)).status).to.equal(401);
			const pod = gateway.platform.key.podToken("0b6f5c1e-6d0f-4a6e-9d53-0d9f3f1f8a01", 1);
			expect((await api({ authorization: `Bearer ${pod}` }).get(`${path}/authorize`)).status).to.equal(403);
			expect((await api({ authorization: `Bearer ${pod}` }).post(`${path}/disconnect`)).status).to.equal(403);
			expect((await asked("alice", "/integrations/oauth/unknown/authorize")).status).to.equal(404);
		});

		const odd: [what: string, query: string, status: number][] = [
			["nothing", "", 422],
			["no state", "?code=c", 422],
			["no code", "?state=s", 422],
			["an empty state", "?code=c&state=", 422],
			["a state twice", "?code=c&state=a&state=b", 422],
			["a code that is too long", `?state=s&code=${"c".repeat(4_097)}`, 422],
			["an unknown state", `?code=c&state=${"a".repeat(43)}`, 400],
			["a state with other characters", "?code=c&state=%00%2F..%2F", 400],
			["parameters that providers add", "?code=c&state=s&scope=repo&authuser=0&session_state=x", 400],
		];
		for (const [what, query, status] of odd)
			it(`answer ${status} to a redirect with ${what}`, async () => {
				const answer = await api().get<{ detail: unknown }>(callback + query);
				expect(answer.status, answer.text).to.equal(status);
				expect(answer.headers.get("content-type")).to.contain("application/json");
			});

		it("survive a flood of redirects, which ask no provider", async () => {
			const before = server.asked.length;
			const flood = Array.from({ length: 300 }, (_, index) => api().get(`${callback}?code=c&state=${index}`));
			const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
			expect(
				[...statuses].every((status) => status === 400 || status === 429),
				[...statuses].join(),
			).to.equal(true);
			expect(server.asked).to.have.length(before);
			const begun = await asked("bob");
			const back = await server.approve(begun.body.url, "bob");
			expect((await followed(back, begun.headers.get("set-cookie")?.split(";")[0])).status).to.equal(200);
		});
	});
}
