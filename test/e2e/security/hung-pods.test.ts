/**
 * The pods of one tenant hang, and its people ask for them again and again: those of another tenant notice nothing.
 * Alone: it measures how long requests take.
 */
import { expect } from "chai";
import { runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-carol", id: "carol", tenant: "other", roles: [] },
];
const inFlight = 16;
/** A request that takes longer than this waits for something, on a machine with other work too. In milliseconds. */
const waitingMs = 500;

describe("pods that hang", function () {
	this.timeout(180_000);
	let platform: TestPlatform;
	const api = (name: string) => platform.client({ authorization: `Bearer token-of-${name}` });

	before(async () => {
		platform = await startPlatform({
			config: { identity: { kwargs: { users } }, limits: { in_flight_per_user: inFlight } },
		});
	});
	after(() => platform?.[Symbol.asyncDispose]());

	it("take as many places as one person has, and leave another tenant's p99 alone", async () => {
		const hers = await runningSession(api("alice"));
		const agents = platform.agents();
		const other = await runningSession(api("carol"));
		const path = (id: string) => `/sessions/${id}/conversation`;
		const times = async (count: number): Promise<number[]> => {
			const taken: number[] = [];
			for (let i = 0; i < count; i++) {
				const began = performance.now();
				expect((await api("carol").get(path(other.id))).status).to.equal(200);
				taken.push(performance.now() - began);
			}
			return taken.toSorted((a, b) => a - b);
		};
		const p99 = (sorted: readonly number[]) => sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
		await times(20);
		const alone = p99(await times(60));
		for (const { pid } of agents) process.kill(pid, "SIGSTOP");
		try {
			const flood = Array.from({ length: 100 }, () => api("alice").get(path(hers.id)));
			const beside = p99(await times(60));
			const statuses = (await Promise.all(flood)).map(({ status }) => status);
			const refused = statuses.filter((status) => status === 429).length;
			console.log(
				`      p99 ${Math.round(alone)} ms alone, ${Math.round(beside)} ms beside the hung pod; ${refused} of 100 refused`,
			);
			expect(refused).to.be.within(100 - 3 * inFlight, 100 - inFlight);
			expect(beside).to.be.below(3 * Math.max(alone, waitingMs));
		} finally {
			for (const { pid } of agents) process.kill(pid, "SIGCONT");
		}
	});
});
