import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { Reconciler } from "#services/pod-manager/reconciliation/reconciler.ts";
import { type ExpectationQuery, Sweep, type SweepDependencies } from "#services/pod-manager/reconciliation/sweep.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { Expectation } from "#shared/contracts/sessions/session-work.ts";
import { eventually } from "../../../../support/eventually.ts";
import { MemoryPods, memoryPod, podSpecFor } from "../../../../support/pods/memory-pods.ts";
import { SessionDesk } from "../../../../support/platform/session-gateway.ts";

const quick = { everyMs: 5, soonMs: 5, unwantedMs: 120_000 };

describe("Sweep", () => {
	let desk: SessionDesk;
	let pods: MemoryPods;
	let looks: string[];
	let said: string[];
	let sweep: Sweep | undefined;
	let asked: ExpectationQuery[];
	let swept: number;
	/** The workspaces that are stored. */
	let stored: Set<string>;
	let ahead: number;
	let turnBack: () => void;
	const id = randomUUID();

	beforeEach(() => {
		desk = new SessionDesk();
		pods = new MemoryPods();
		looks = [];
		said = [];
		asked = [];
		swept = 0;
		stored = new Set();
		ahead = 0;
		const begun = performance.now();
		turnBack = turnClock({ now: () => Date.now(), monotonic: () => begun + ahead });
	});
	afterEach(async () => {
		await sweep?.stop();
		turnBack();
	});

	function start(dependencies: Partial<SweepDependencies> = {}, times = quick): void {
		const expected = dependencies.expected ?? ((what) => desk.expected(what));
		const recorded = async (what: ExpectationQuery) => {
			asked.push(what);
			return expected(what);
		};
		const inventory = pods.inventory.bind(pods);
		pods.inventory = async () => {
			swept++;
			return inventory();
		};
		const whole = {
			runtime: pods,
			look: (session: string) => looks.push(session),
			unknownWorkspaces: async (ids: string[]) => ids.filter((one) => !stored.has(one)),
			...dependencies,
			expected: recorded,
		};
		sweep = new Sweep(whole, (sentence) => said.push(sentence), times);
	}

	/** Runs several sweeps. */
	async function sweeps(): Promise<void> {
		const before = swept;
		await eventually(() => swept > before + 6, { what: "several sweeps" });
	}

	it("ends and forgets a pod without a session, two minutes after it was first seen", async () => {
		pods.put(memoryPod(id, 1, "ready"));
		desk.want(randomUUID(), "run");
		start();
		await sweeps();
		ahead = 119_000;
		await sweeps();
		expect(pods.pods.get(`session-${id}-g1`)?.state).to.equal("ready");
		ahead = 121_000;
		await eventually(() => pods.pods.size === 0);
		expect(said).to.deep.equal([`No session wants "session-${id}-g1": it is ended`]);
	});

	it("logs once what the runtime cannot repair by itself (L5)", async () => {
		pods.troubles.push("Cannot remove 1 folder");
		const shown: (readonly string[])[] = [];
		start({ remaining: (troubles) => shown.push([...troubles]) });
		await sweeps();
		expect(said).to.deep.equal(["Cannot remove 1 folder"]);
		expect(shown[0], "for the shortcomings").to.deep.equal(["Cannot remove 1 folder"]);
	});

	it("tells what the runtime cannot repair also while no session can be read", async () => {
		pods.troubles.push("A pod gets no launch: the sessions are away");
		start({
			expected: async () => {
				throw new Error("away");
			},
		});
		await eventually(() => said.includes("A pod gets no launch: the sessions are away"));
	});

	it("tells which pods are there", async () => {
		const other = randomUUID();
		for (const one of [id, other]) pods.put(memoryPod(one, 1, "ready"));
		for (const one of [id, other]) desk.want(one, "run");
		const told: (readonly Pod[])[] = [];
		start({ found: (there) => told.push(there) });
		await sweeps();
		expect(told[0]?.map(({ sessionId }) => sessionId)).to.have.members([id, other]);
	});

	it("ends the others although one cannot be ended, and logs it once", async () => {
		class StickyPods extends MemoryPods {
			override async end(pod: Pod) {
				if (pod.sessionId === id) throw new Error("It cannot be reached");
				return super.end(pod);
			}
		}
		pods = new StickyPods();
		const other = randomUUID();
		for (const one of [id, other]) pods.put(memoryPod(one, 1, "ready"));
		start({}, { ...quick, unwantedMs: 0 });
		await eventually(() => pods.ofSession(other).length === 0);
		await sweeps();
		expect(said.filter((sentence) => sentence.includes("It cannot be reached"))).to.have.lengthOf(1);
	});

	it("pauses longer each time while a pod does not go that somebody keeps", async () => {
		const at: number[] = [];
		class KeptPods extends MemoryPods {
			override async end() {
				at.push(Date.now());
			}
		}
		pods = new KeptPods();
		pods.put(memoryPod(id, 1, "ready"));
		start({}, { everyMs: 60_000, soonMs: 20, unwantedMs: 0 });
		await eventually(() => at.length === 6);
		expect((at[5] ?? 0) - (at[4] ?? 0)).to.be.at.least(318);
	});

	it("removes the beginnings of an unwanted pod, and keeps those that may become one", async () => {
		const [wanted, unknown] = [randomUUID(), randomUUID()];
		desk.want(wanted, "run", 2);
		const begun = [memoryPod(unknown, 1, "gone"), memoryPod(wanted, 1, "gone"), memoryPod(wanted, 2, "gone")];
		for (const pod of begun) pods.begun.set(pod.name, pod);
		start();
		await sweeps();
		ahead = 119_000;
		await sweeps();
		expect(pods.begun.size).to.equal(3);
		ahead = 121_000;
		await eventually(() => pods.begun.size === 1);
		expect([...pods.begun.keys()]).to.deep.equal([`session-${wanted}-g2`]);
	});

	it("removes what the launch of a session has left that does not want to run", async () => {
		desk.want(id, "stop", 2);
		pods.begun.set(`session-${id}-g2`, memoryPod(id, 2, "gone"));
		start();
		await sweeps();
		ahead = 121_000;
		await eventually(() => pods.begun.size === 0);
	});

	for (const [other, generation] of [
		["an older", 1],
		["a newer", 3],
	] as const)
		it(`ends a pod of ${other} launch than the session's, and lets the passes try first`, async () => {
			desk.want(id, "run", 2);
			pods.put(memoryPod(id, generation, "ready"));
			start();
			await sweeps();
			expect(looks).to.include(id);
			expect(pods.pods.get(`session-${id}-g${generation}`)?.state).to.equal("ready");
			ahead = 121_000;
			await eventually(() => pods.pods.size === 0);
		});

	it("starts over when a session wanted the pod in between", async () => {
		pods.put(memoryPod(id, 1, "ready"));
		desk.want(randomUUID(), "run");
		start();
		await sweeps();
		desk.want(id, "run");
		await sweeps();
		ahead = 121_000;
		desk.sessions.delete(id);
		await sweeps();
		expect(pods.pods.get(`session-${id}-g1`)?.state).to.equal("ready");
	});

	it("accepts an empty list of sessions only when it is repeated", async () => {
		pods.put(memoryPod(id, 1, "ready"));
		desk.want(id, "run");
		let times = 0;
		const forgetful = async (what: ExpectationQuery) => (times++ % 2 === 0 ? { sessions: [] } : desk.expected(what));
		start({ expected: forgetful }, { ...quick, unwantedMs: 0 });
		await sweeps();
		expect(pods.pods.get(`session-${id}-g1`)?.state).to.equal("ready");
		expect(said).to.deep.equal([]);
	});

	it("changes nothing while a page of sessions cannot be read", async () => {
		pods.put(memoryPod(id, 1, "ready"));
		const expected = async (what: ExpectationQuery) => {
			if ("ids" in what || what.after !== undefined) throw new Error("Nobody there");
			return { sessions: [], next: "second" };
		};
		start({ expected });
		await sweeps();
		ahead = 121_000;
		await sweeps();
		expect(pods.pods.get(`session-${id}-g1`)?.state).to.equal("ready");
		expect(said).to.deep.equal(["Cannot sweep: Nobody there"]);
	});

	it("reads every page", async () => {
		pods.put(memoryPod(id, 1, "ready"));
		const wanted: Expectation = { id, generation: 1, desired: "run" };
		const isFirst = (what: ExpectationQuery) => "after" in what && what.after === undefined;
		start({ expected: async (what) => (isFirst(what) ? { sessions: [], next: "a" } : { sessions: [wanted] }) });
		await sweeps();
		ahead = 121_000;
		await sweeps();
		expect(pods.pods.size).to.equal(1);
		expect(looks).to.deep.equal([]);
	});

	it("asks for all sessions once, then only for those that have pods or folders of them here (M6)", async () => {
		const [running, begun] = [randomUUID(), randomUUID()];
		for (const session of [running, begun, ...Array.from({ length: 5 }, () => randomUUID())])
			desk.want(session, "stop");
		desk.want(running, "run");
		pods.put(memoryPod(running, 1, "ready"));
		pods.begun.set("begun", memoryPod(begun, 1, "gone"));
		start();
		await sweeps();
		const [first, ...later] = asked;
		expect(first).to.deep.equal({ after: undefined });
		expect(later).to.have.length.above(1);
		for (const what of later) expect(what).to.deep.equal({ ids: [running, begun] });
	});

	it("asks for all sessions again every hour", async () => {
		pods.put(memoryPod(id, 1, "ready"));
		desk.want(id, "run");
		start();
		const all = () => asked.filter((what) => !("ids" in what)).length;
		for (const [at, times] of [
			[0, 1],
			[3_590_000, 1],
			[3_601_000, 2],
			[7_190_000, 2],
			[7_202_000, 3],
		] as const) {
			ahead = at;
			await sweeps();
			expect(all(), `after ${at} ms`).to.equal(times);
		}
	});

	it("asks for at most 500 sessions at once (M6)", async () => {
		const ids = Array.from({ length: 501 }, () => randomUUID());
		for (const session of ids) {
			desk.want(session, "run");
			pods.put(memoryPod(session, 1, "ready"));
		}
		start();
		await sweeps();
		const lengths = asked.slice(1, 3).map((what) => ("ids" in what ? what.ids.length : undefined));
		expect(lengths).to.deep.equal([500, 1]);
		expect(looks).to.deep.equal([]);
	});

	it("keeps files that belong to nothing stored, and logs it once; files of a stored workspace are none of them", async () => {
		const kept = randomUUID();
		pods.workspaces.add(id);
		pods.workspaces.add(kept);
		stored.add(kept);
		const inventory = pods.inventory.bind(pods);
		pods.inventory = async () => ({ ...(await inventory()), ...(ahead === 0 && { workspaces: undefined }) });
		start();
		await sweeps();
		expect(said, "while they cannot be listed").to.deep.equal([]);
		ahead = 121_000;
		await sweeps();
		expect([...pods.workspaces]).to.deep.equal([id, kept]);
		expect(said).to.deep.equal(["1 folder(s) of files belong to no session and no workspace that is stored"]);
	});

	it("makes a running session without a pod due at once", async () => {
		desk.want(id, "run");
		const session = desk.sessions.get(id);
		if (session) session.dueAt = Date.now() + 30_000;
		const specOf = ({ id: sessionId, generation }: Expectation) => podSpecFor(sessionId, generation);
		const passes = new Reconciler({ runtime: pods, specOf }, desk, (sentence) => said.push(sentence));
		try {
			start({ look: (session_id) => passes.look(session_id) });
			await eventually(() => desk.last(id) !== undefined);
		} finally {
			await passes.stop();
		}
	});
});
