/** Limits of a real platform: one person's flood is refused, another's requests are not, and sessions are counted. */
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "acme", roles: [] },
];

describe("limits", function () {
	this.timeout(120_000);
	let platform: TestPlatform;
	const api = (name: string) => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		const limits = { requests_per_second: 1, burst: 20, running_per_user: 1 };
		platform = await startPlatform({ config: { identity: { kwargs: { users } }, limits } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	it("let a person have so many running sessions, and another one when one has ended", async () => {
		const first = await api("bob").post<Session>("/sessions", { name: "first" });
		expect(first.status).to.equal(201);
		const refused = await api("bob").post<{ detail: string }>("/sessions", { name: "second" });
		expect([refused.status, refused.body.detail]).to.deep.equal([
			409,
			"A person has at most 1 running sessions: stop one first",
		]);
		expect((await api("bob").post(`/sessions/${first.body.id}/stop`)).status).to.equal(200);
		const second = await api("bob").post<Session>("/sessions", { name: "second" });
		expect(second.status).to.equal(201);
		const again = await api("bob").post(`/sessions/${first.body.id}/start`);
		expect([again.status, again.headers.get("x-error-code")]).to.deep.equal([409, "RUNNING_LIMIT"]);
		for (const { id } of [first.body, second.body])
			expect((await api("bob").delete(`/sessions/${id}`)).status).to.equal(204);
	});

	it("refuse a flood with 429 and say when to come again, and nobody else is refused", async () => {
		const flood = await Promise.all(Array.from({ length: 60 }, () => api("alice").get("/feature-flags")));
		const refused = flood.filter(({ status }) => status === 429);
		expect(refused.length).to.be.within(20, 45);
		expect(flood.length - refused.length).to.equal(flood.filter(({ status }) => status === 200).length);
		for (const { headers } of refused) {
			expect(headers.get("retry-after")).to.equal("1");
			expect(headers.get("x-error-code")).to.equal("RATE_LIMIT");
		}
		expect((await api("bob").get("/feature-flags")).status).to.equal(200);
		expect((await platform.client().get("/auth/config")).status, "a public request").to.equal(404);
	});
});
