/** Logins at a real OAuth provider over real stores: who gets connected, and what a hostile browser or provider can do. */
import { expect } from "chai";
import type { ServerResponse } from "node:http";
import { collections } from "#services/integrations/compose.ts";
import type { Person } from "#services/integrations/oauth/oauth-definition.ts";
import { oauthStateCollection } from "#services/integrations/oauth/oauth-states.ts";
import { type Clock, turnClock } from "#shared/base/clock.ts";
import { ServiceError } from "#shared/base/errors.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { failureOf } from "../../../support/failure-of.ts";
import { OAuthServer } from "../../../support/identity/oauth-server.ts";
import { LoginDesk, redirectUri, slug } from "../../../support/integrations/login-desk.ts";
import { storeEngines } from "../../../support/stores/open-stores.ts";

/** An answer to the request for tokens, and the error that it becomes. */
type Answering = [what: string, code: string, answer: (response: ServerResponse) => void];

const ada: Person = { tenant: "acme", owner: "ada" };
const eve: Person = { tenant: "acme", owner: "eve" };
const browser = "the digest of ada's browser";

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`logins on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let server: OAuthServer;
		let desk: LoginDesk;

		before(async () => {
			server = await OAuthServer.listen({ redirectUri });
		});
		after(() => server?.[Symbol.asyncDispose]());
		beforeEach(async () => {
			opened = await open();
			desk = new LoginDesk({ store: opened.store, server });
		});
		afterEach(async () => {
			server.instead = undefined;
			desk.close();
			await opened.discard();
		});

		const codeOf = (error: unknown) => (error instanceof ServiceError ? `${error.code} ${error.type}` : String(error));
		const refusal = async (work: Promise<unknown>) => codeOf(await failureOf(work));

		it("connect a person, by a second process, exactly once", async () => {
			const back = await desk.approved(server, ada, browser);
			const other = new LoginDesk({ store: opened.store, server });
			expect((await other.end(back, browser)).html).to.contain("Forge is connected");
			other.close();
			const { token = "", access_token, refresh_token } = other.kept.fieldsOf(ada, slug);
			expect(await server.personOf(token)).to.equal("ada");
			expect([access_token, refresh_token?.length]).to.deep.equal([token, 43]);
			expect([...other.kept.connections.values()]).to.deep.equal([`${slug}-oauth-token`]);
			expect(other.kept.credentials.values().next().value?.metadata).to.deep.equal({
				source: "oauth2",
				integration: slug,
			});
			expect(await refusal(desk.end(back, browser)), "a state is used once").to.equal("400 OAUTH_STATE");
		});

		it("let one of many redirects with the same state in", async () => {
			const back = await desk.approved(server, ada, browser);
			const asked = server.asked.length;
			const ends = await Promise.allSettled(Array.from({ length: 8 }, () => desk.end(back, browser)));
			expect(ends.filter(({ status }) => status === "fulfilled")).to.have.length(1);
			expect(server.asked.length - asked).to.equal(1);
		});

		it("store nothing by which somebody else could end one", async () => {
			const url = new URL(await desk.logins.begin(ada, slug, browser));
			const state = url.searchParams.get("state") ?? "";
			const { documents } = await opened.store.find(
				oauthStateCollection,
				"by_tenant",
				{ equals: [ada.tenant] },
				{ limit: 5 },
			);
			expect(documents).to.have.length(1);
			expect(JSON.stringify(documents)).not.to.contain(state);
			expect(JSON.stringify(documents)).not.to.contain(url.searchParams.get("code_challenge"));
		});

		it("ask first when the browser is not the one that began: a link of somebody else connects nobody unseen", async () => {
			const back = await desk.approved(server, eve, "the digest of eve's browser", "ada");
			for (const strange of [undefined, browser]) {
				const { html } = await desk.end(back, strange);
				expect(html).to.contain("Connect Forge?").and.contain("<strong>eve</strong>");
				expect(desk.kept.connections.size).to.equal(0);
			}
			const { html } = await desk.end(back, browser);
			const confirmed = new URLSearchParams(/href="\?([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&"));
			const forged = new URLSearchParams(confirmed);
			forged.set("confirm", "a".repeat(43));
			expect((await desk.end(forged, browser)).html, "a proof of their own").to.contain("Connect Forge?");
			expect((await desk.end(confirmed, browser)).html).to.contain("is connected");
			expect(await server.personOf(desk.kept.fieldsOf(eve, slug)["token"] ?? "")).to.equal("ada");
		});

		it("ask nothing where all callers are one person", async () => {
			const own = new LoginDesk({ store: opened.store, server, trustsCallers: true });
			expect((await own.end(await own.approved(server, ada))).html).to.contain("is connected");
			own.close();
		});

		it("refuse a code of another login (PKCE), and a redirect of another issuer", async () => {
			const stolen = await desk.approved(server, eve, "x", "eve");
			const back = await desk.approved(server, ada, browser);
			back.set("code", stolen.get("code") ?? "");
			expect(await refusal(desk.end(back, browser))).to.equal("400 OAUTH_REFUSED");
			for (const iss of [undefined, "https://evil.example"]) {
				const mixed = await desk.approved(server, ada, browser);
				if (iss === undefined) mixed.delete("iss");
				else mixed.set("iss", iss);
				expect(await refusal(desk.end(mixed, browser))).to.equal("400 OAUTH_ISSUER");
				expect(await refusal(desk.end(mixed, browser)), "its state is used").to.equal("400 OAUTH_STATE");
			}
			expect(desk.kept.connections.size).to.equal(0);
		});

		it("refuse states that are unknown or old", async () => {
			for (const state of ["", "x", "a".repeat(43), "a".repeat(4_096), "../../x", "\0"])
				expect(await refusal(desk.logins.end({ state, code: "c" }, browser)), state.slice(0, 50)).to.equal(
					"400 OAUTH_STATE",
				);
			const back = await desk.approved(server, ada, browser);
			const restore = turnClock(later(301_000));
			try {
				expect(await refusal(desk.end(back, browser))).to.equal("400 OAUTH_STATE");
				await desk.states.removeOld();
			} finally {
				restore();
			}
			expect(await refusal(desk.end(back, browser)), "removed").to.equal("400 OAUTH_STATE");
		});

		it("tell of a refusal by the person, which uses the state", async () => {
			const state = new URL(await desk.logins.begin(ada, slug, browser)).searchParams.get("state") ?? "";
			const denied = { state, error: "access_denied", iss: server.url };
			expect((await desk.logins.end(denied, browser)).html).to.contain("access_denied");
			expect(await refusal(desk.logins.end(denied, browser))).to.equal("400 OAUTH_STATE");
			expect(await refusal(desk.logins.end({ state }, browser))).to.equal("422 INVALID_PARAMETERS");
		});

		it("keep ten of a person: another one replaces the oldest", async () => {
			const states: string[] = [];
			for (let begun = 0; begun < 12; begun++) {
				const restore = turnClock(later(begun * 10));
				const url = new URL(await desk.logins.begin(ada, slug, browser));
				restore();
				states.push(url.searchParams.get("state") ?? "");
			}
			const found = await Promise.all(states.map((state) => desk.states.find(state)));
			expect(found.map((login) => login !== undefined)).to.deep.equal([false, false, ...Array(10).fill(true)]);
		});

		const answers: Answering[] = [
			[
				"a page",
				"502 OAUTH_ANSWER",
				(response) => response.setHeader("content-type", "text/html").end("<html>Sign in"),
			],
			["too much", "502 UPSTREAM_TOO_LARGE", (response) => response.end(Buffer.alloc(100_000, 32))],
			[
				"a redirect",
				"502 OAUTH_ANSWER",
				(response) => response.writeHead(302, { location: "http://127.0.0.1:1" }).end(),
			],
			["another type", "502 OAUTH_ANSWER", (response) => response.end('{"access_token":"a","token_type":"mac"}')],
			["a failure", "502 OAUTH_ANSWER", (response) => response.writeHead(500).end('{"error":"server_error"}')],
			["a refusal", "400 OAUTH_REFUSED", (response) => response.end('{"error":"bad_verification_code"}')],
			["nothing", "502 UPSTREAM_UNREACHABLE", (response) => response.destroy()],
			// The time of the request is the same on every store.
			...(engine === "SQLite" ? [["silence", "504 UPSTREAM_TIMEOUT", () => {}] as Answering] : []),
		];
		for (const [what, code, answer] of answers)
			it(`store nothing when the provider answers with ${what}`, async () => {
				const back = await desk.approved(server, ada, browser);
				server.instead = (_request, response) => answer(response);
				const error = await failureOf(desk.end(back, browser));
				expect(codeOf(error)).to.equal(code);
				for (const secret of [back.get("code") ?? "", back.get("state") ?? "", "s3cret"])
					expect(String(error)).not.to.contain(secret);
				expect([desk.kept.credentials.size, desk.kept.connections.size]).to.deep.equal([0, 0]);
			});

		it("know no integration without a login, and no other one", async () => {
			for (const name of ["unknown", "__proto__", "constructor"])
				expect(await refusal(desk.logins.begin(ada, name, browser))).to.equal("404 OAUTH_UNKNOWN");
		});

		it("are undone: tokens revoked, credential and connection removed, also after a failure in between", async () => {
			await desk.end(await desk.approved(server, ada, browser), browser);
			const { token = "" } = desk.kept.fieldsOf(ada, slug);
			expect(await refusal(desk.logins.disconnect(eve, slug)), "that of another person").to.equal(
				"404 OAUTH_CONNECTION",
			);
			desk.kept.fails = true;
			expect(await refusal(desk.logins.disconnect(ada, slug))).to.contain("The store is away");
			await desk.logins.disconnect(ada, slug);
			expect(await server.personOf(token)).to.equal(undefined);
			expect([desk.kept.credentials.size, desk.kept.connections.size]).to.deep.equal([0, 0]);
			expect(await refusal(desk.logins.disconnect(ada, slug))).to.equal("404 OAUTH_CONNECTION");
		});

		it("authenticate the platform by a header where the provider wants that", async () => {
			await using strict = await OAuthServer.listen({ redirectUri, authMethod: "client_secret_basic" });
			const basic = new LoginDesk({ store: opened.store, server: strict, auth_method: "basic" });
			expect((await basic.end(await basic.approved(strict, ada, browser), browser)).html).to.contain("is connected");
			basic.close();
		});
	});
}

/** Returns a clock that is ahead. */
function later(ms: number): Clock {
	return { now: () => Date.now() + ms, monotonic: () => performance.now() };
}
