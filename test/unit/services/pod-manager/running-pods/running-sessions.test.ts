import { expect } from "chai";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { RunningSessions } from "#services/pod-manager/running-pods/running-sessions.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { eventually } from "../../../../support/eventually.ts";

const claimOf = (id: string, generation = 1): Claim => ({
	id,
	tenant: "acme",
	owner: "ada",
	generation,
	desired: "run",
	fence: 1,
	launch: {},
	attempts: 1,
	workspace: id,
});
const podOf = (sessionId: string, generation = 1): Pod => ({
	name: `session-${sessionId}-g${generation}`,
	sessionId,
	generation,
	state: "ready",
	timings: {},
});

describe("RunningSessions", () => {
	let told: string[];
	let kept: ReadonlySet<string>[];
	let asked: string[];
	let written: string[];
	let launchOf: (id: string, generation: number) => Promise<Claim | undefined>;
	let running: RunningSessions;

	beforeEach(() => {
		[told, kept, asked, written] = [[], [], [], []];
		launchOf = async (id, generation) => claimOf(id, generation);
		running = new RunningSessions({
			launchOf(id, generation) {
				asked.push(`${id} ${generation}`);
				return launchOf(id, generation);
			},
			followers: [
				{
					passed: ({ id, generation }, pod) => void told.push(`${id} ${generation} ${pod?.state}`),
					keepOnly: (ids) => void kept.push(ids),
				},
			],
			write: (sentence) => void written.push(sentence),
		});
	});
	afterEach(() => running.stop());

	it("asks for the launch of a session that runs although it made no pass over it, once", async () => {
		for (let sweep = 0; sweep < 3; sweep++) {
			running.found([podOf("a"), podOf("b", 4)]);
			await eventually(() => told.length === 2);
		}
		await running.stop();
		expect(told).to.have.members(["a 1 ready", "b 4 ready"]);
		expect(asked).to.have.length(2);
	});

	it("asks for no session that it knows by a pass, and again for a later launch", async () => {
		running.passed(claimOf("a"), podOf("a"));
		running.found([podOf("a")]);
		running.found([podOf("a", 2)]);
		await eventually(() => told.length === 2);
		expect(told).to.deep.equal(["a 1 ready", "a 2 ready"]);
		expect(asked).to.deep.equal(["a 2"]);
	});

	it("leaves alone what does not run, and what must not run any more", async () => {
		launchOf = async () => undefined;
		running.found([{ ...podOf("a"), state: "launching" }, { ...podOf("b"), state: "gone" }, podOf("c")]);
		await running.stop();
		expect(asked).to.deep.equal(["c 1"]);
		expect(told).to.deep.equal([]);
	});

	it("prefers a pass that ends meanwhile", async () => {
		const answer = Promise.withResolvers<Claim>();
		launchOf = () => answer.promise;
		running.found([podOf("a")]);
		await eventually(() => asked.length === 1);
		running.passed(claimOf("a"), undefined);
		answer.resolve(claimOf("a"));
		await running.stop();
		expect(told).to.deep.equal(["a 1 undefined"]);
	});

	it("lets sessions without pods be forgotten, but none whose pod may be younger than what was found", () => {
		running.passed(claimOf("a"), podOf("a"));
		running.passed(claimOf("b"), podOf("b"));
		expect([...running.found([podOf("a")])]).to.have.members(["a", "b"]);
		expect([...running.found([podOf("a")])]).to.deep.equal(["a"]);
		expect(kept.map((ids) => [...ids].toSorted())).to.deep.equal([["a", "b"], ["a"]]);
	});

	it("asks about all of many sessions, a few at a time, and again after a failure, which it tells once", async () => {
		let [current, most] = [0, 0];
		launchOf = async (id, generation) => {
			most = Math.max(most, ++current);
			await new Promise(setImmediate);
			current--;
			return claimOf(id, generation);
		};
		const pods = Array.from({ length: 50 }, (_, n) => podOf(`session-${n}`));
		running.found(pods);
		await eventually(() => told.length === 50);
		expect(most).to.be.within(1, 8);
		launchOf = () => Promise.reject(new Error("away"));
		for (const sweep of [1, 2]) {
			running.found([...pods, podOf("late")]);
			await eventually(() => asked.length === 50 + sweep);
		}
		launchOf = async (id, generation) => claimOf(id, generation);
		running.found([...pods, podOf("late")]);
		await eventually(() => told.includes("late 1 ready"));
		expect(written).to.deep.equal(["Running sessions cannot be read: away"]);
	});
});
