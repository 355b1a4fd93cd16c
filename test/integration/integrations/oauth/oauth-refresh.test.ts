/** Tokens of logins are replaced before they end: once, by whichever process comes first, and none is lost by a failure. */
import { expect } from "chai";
import { collections } from "#services/integrations/compose.ts";
import type { Person } from "#services/integrations/oauth/oauth-definition.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { StoreUnderTest } from "../../../contract/document-store.contract.ts";
import { OAuthServer } from "../../../support/identity/oauth-server.ts";
import { LoginDesk, redirectUri, slug } from "../../../support/integrations/login-desk.ts";
import { storeEngines } from "../../../support/stores/open-stores.ts";

const ada: Person = { tenant: "acme", owner: "ada" };
const browser = "the digest of a browser";

for (const [engine, open] of Object.entries(storeEngines(collections))) {
	describe(`the refresh of tokens on ${engine}`, function () {
		this.timeout(60_000);
		let opened: StoreUnderTest;
		let server: OAuthServer;
		let desk: LoginDesk;
		/** Turns the clock of the platform forward; the provider's stays. */
		let turn: (ms: number) => void;
		let restore: () => void;

		beforeEach(async () => {
			let ahead = 0;
			restore = turnClock({ now: () => Date.now() + ahead, monotonic: () => performance.now() });
			turn = (ms) => (ahead += ms);
			opened = await open();
			server = await OAuthServer.listen({ redirectUri, seconds: 3_600 });
			desk = new LoginDesk({ store: opened.store, server });
			await desk.end(await desk.approved(server, ada, browser), browser);
		});
		afterEach(async () => {
			restore();
			desk.close();
			await server[Symbol.asyncDispose]();
			await opened.discard();
		});

		const fields = () => desk.kept.fieldsOf(ada, slug);
		/** The count of requests for tokens so far. */
		const asked = () => server.asked.filter((path) => path === "/token").length;

		it("happens five minutes before the end, and not earlier", async () => {
			const first = fields();
			turn(3_290_000);
			await desk.refresh.freshen(ada);
			expect([asked(), fields()]).to.deep.equal([1, first]);
			turn(15_000);
			await desk.refresh.freshen(ada);
			const second = fields();
			expect(asked()).to.equal(2);
			expect(second["token"]).not.to.equal(first["token"]);
			expect(second["refresh_token"], "rotated").not.to.equal(first["refresh_token"]);
			expect(await server.personOf(second["token"] ?? "")).to.equal("ada");
			expect(desk.renewed).to.deep.equal([ada, ada]);
			await desk.refresh.freshen(ada);
			expect(asked(), "it is fresh").to.equal(2);
		});

		it("happens once for many processes and requests", async () => {
			const others = Array.from({ length: 3 }, () => new LoginDesk({ store: opened.store, server, kept: desk.kept }));
			turn(3_500_000);
			await Promise.all([desk, ...others].flatMap(({ refresh }) => [1, 2, 3, 4].map(() => refresh.freshen(ada))));
			await Promise.all(others.map(({ refresh }) => refresh.settled()));
			expect(asked()).to.equal(2);
			for (const other of others) other.close();
		});

		it("is awaited when the token has ended, by those who do not do it too", async () => {
			const first = fields()["token"];
			const other = new LoginDesk({ store: opened.store, server, kept: desk.kept });
			turn(3_700_000);
			await Promise.all([desk.refresh.freshen(ada), other.refresh.freshen(ada)]);
			expect(fields()["token"]).not.to.equal(first);
			other.close();
		});

		it("ends when the provider refuses the refresh token, and begins with the next login", async () => {
			server.instead = (_request, response) => response.writeHead(400).end('{"error":"invalid_grant"}');
			turn(3_500_000);
			await desk.refresh.freshen(ada);
			await desk.refresh.settled();
			turn(60_000);
			await desk.refresh.freshen(ada);
			expect(asked(), "it is not tried again").to.equal(2);
			expect((await desk.grants.get(ada, slug))?.problem).to.contain("invalid_grant");
			expect(desk.logged.join()).to.contain("cannot be replaced");
			server.instead = undefined;
			await desk.end(await desk.approved(server, ada, browser), browser);
			expect((await desk.grants.get(ada, slug))?.problem).to.equal(undefined);
			turn(3_500_000);
			await desk.refresh.freshen(ada);
			expect(asked()).to.equal(4);
		});

		for (const [status, word] of [
			[429, "temporarily_unavailable"],
			[401, "invalid_client"],
			[400, "slow_down"],
		] as const)
			it(`is tried again after a pause when the provider refuses by ${word}`, async () => {
				const first = fields();
				server.instead = (_request, response) => response.writeHead(status).end(JSON.stringify({ error: word }));
				turn(3_400_000);
				await desk.refresh.freshen(ada);
				await desk.refresh.settled();
				server.instead = undefined;
				expect((await desk.grants.get(ada, slug))?.problem).to.equal(undefined);
				turn(31_000);
				await desk.refresh.freshen(ada);
				expect(fields()["token"]).not.to.equal(first["token"]);
			});

		it("loses no new tokens when they cannot be stored at first", async () => {
			const first = fields();
			desk.kept.fails = true;
			turn(3_400_000);
			await desk.refresh.freshen(ada);
			await desk.refresh.settled();
			expect(desk.kept.fails, "storing has failed once").to.equal(false);
			expect(fields()["token"]).not.to.equal(first["token"]);
			expect(asked(), "with one request").to.equal(2);
		});

		it("is tried again after a pause when the provider fails, and delays nobody for long", async () => {
			const first = fields();
			let end = () => {};
			server.instead = (_request, response) => (end = () => response.destroy());
			turn(3_400_000);
			const begun = performance.now();
			await desk.refresh.freshen(ada);
			expect(performance.now() - begun, "the token still works").to.be.below(3_000);
			server.instead = (_request, response) => response.writeHead(503).end();
			await desk.refresh.freshen(ada);
			expect([asked(), fields()], "not while the grant is held").to.deep.equal([2, first]);
			server.instead = undefined;
			end();
			await desk.refresh.settled();
			turn(31_000);
			await desk.refresh.freshen(ada);
			expect(fields()["token"]).not.to.equal(first["token"]);
		});

		it("keeps nothing of a login that was undone meanwhile", async () => {
			turn(3_500_000);
			let answer = () => {};
			const arrived = new Promise<void>((resolve) => {
				server.instead = (_request, response) => {
					answer = () => response.end('{"access_token":"new","refresh_token":"new"}');
					resolve();
				};
			});
			const refreshing = desk.refresh.freshen(ada);
			await arrived;
			const undoing = desk.logins.disconnect(ada, slug).catch((error: unknown) => error);
			expect(await undoing, "the tokens are being replaced").to.include({ type: "OAUTH_BUSY" });
			answer();
			await refreshing;
			await desk.refresh.settled();
			server.instead = undefined;
			await desk.logins.disconnect(ada, slug);
			expect([desk.kept.credentials.size, desk.kept.connections.size]).to.deep.equal([0, 0]);
		});

		it("does nothing without a refresh token", async () => {
			const credential = [...desk.kept.credentials.values()][0];
			if (!credential) throw new Error("There is no credential");
			await desk.kept.put(ada, { ...credential, data: { access_token: "mine" } });
			turn(3_500_000);
			await desk.refresh.freshen(ada);
			await desk.refresh.freshen(ada);
			expect([asked(), fields()]).to.deep.equal([1, { access_token: "mine" }]);
		});
	});
}
