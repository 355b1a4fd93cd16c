/** Many commands of one client on its own session, and their effect on others. */
import { expect } from "chai";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { createSession, type SessionView } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "other", roles: [] },
];

/** The number of commands in the review; one session can handle a tenth of them at once. */
const crowd = 250;

interface Changed {
	readonly rev: number;
}

describe("a crowd of commands on one session", function () {
	this.timeout(120_000);
	let platform: TestPlatform;
	let alice: ApiClient;
	let bob: ApiClient;
	let hers: SessionView;
	let his: SessionView;

	before(async () => {
		platform = await startPlatform({ config: { identity: { kwargs: { users } } } });
		[alice, bob] = ["alice", "bob"].map((name) => platform.client({ authorization: `Bearer token-of-${name}` })) as [
			ApiClient,
			ApiClient,
		];
		hers = await createSession(alice, "");
		his = await createSession(bob, "");
	});
	after(async () => platform?.[Symbol.asyncDispose]());

	/** The answers that bob and `/ready` get while the crowd is under way. */
	async function meanwhile(under: Promise<unknown>, ask: () => Promise<Answer>) {
		let isOver = false;
		void under.finally(() => (isOver = true));
		const seen = { statuses: new Set<number>(), ready: new Set<number>() };
		// A last request follows the crowd, when a breaker would be open.
		for (let last = false; !last; ) {
			last = isOver;
			seen.statuses.add((await ask()).status);
			seen.ready.add((await fetch(`${platform.url}/ready`)).status);
		}
		return seen;
	}

	function expectNobodyFeltIt({ statuses, ready }: Awaited<ReturnType<typeof meanwhile>>, good: number) {
		expect([...statuses], "his answers").to.deep.equal([good]);
		expect([...ready], "/ready").to.deep.equal([200]);
	}

	function expectHonest(answers: readonly Answer[], good: number): number {
		const refused = answers.filter(({ status }) => status !== good);
		for (const { status, headers } of refused) {
			expect(status).to.equal(429);
			expect([headers.get("retry-after"), headers.get("x-error-code")]).to.deep.equal(["1", "BUSY"]);
		}
		return answers.length - refused.length;
	}

	it("is answered 429, and other people change their sessions meanwhile (H4)", async () => {
		const { rev: before } = (await alice.get<Changed>(`/sessions/${hers.id}`)).body;
		const all = Promise.all(
			Array.from({ length: crowd }, (_one, n) => alice.put<Changed>(`/sessions/${hers.id}`, { name: `crowd-${n}` })),
		);
		const seen = await meanwhile(all, () => bob.put(`/sessions/${his.id}`, { name: `bob-${performance.now() | 0}` }));
		expectNobodyFeltIt(seen, 200);
		const answers = await all;
		const done = expectHonest(answers, 200);
		expect(done).to.be.within(1, crowd);
		const revs = answers.filter(({ status }) => status === 200).map(({ body }) => body.rev);
		expect(new Set(revs).size, "each change is one of its own").to.equal(done);
		expect(Math.min(...revs)).to.be.above(before);
	});

	it("does not affect others when it is about the chronicle (H4)", async () => {
		const all = Promise.all(
			Array.from({ length: crowd }, (_one, n) => alice.post(`/sessions/${hers.id}/chronicle`, { summary: `${n}` })),
		);
		const seen = await meanwhile(all, () => bob.post(`/sessions/${his.id}/chronicle`, { summary: "his" }));
		const answers = await all;
		const [good = 0] = [...seen.statuses];
		expect(good).to.be.oneOf([200, 201]);
		expectNobodyFeltIt(seen, good);
		expect(expectHonest(answers, good)).to.be.within(1, crowd);
	});
});
