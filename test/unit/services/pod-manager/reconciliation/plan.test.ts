import { expect } from "chai";
import fc from "fast-check";
import { randomUUID } from "node:crypto";
import { type Claim, type Desired, type ObservedPhase, sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { runPass } from "#services/pod-manager/reconciliation/pass.ts";
import { plan } from "#services/pod-manager/reconciliation/plan.ts";
import type { Pod, PodState } from "#services/pod-manager/pod-runtime.ts";
import { monotonic } from "#shared/base/clock.ts";
import { launchSettings, MemoryPods, memoryPod, podSpecFor } from "../../../../support/pods/memory-pods.ts";

const id = "0b1f7e6a-52a4-4c54-9d8e-6f1f3f5a7c01";

function claim(desired: Desired, generation = 3): Claim {
	return {
		id,
		tenant: "acme",
		owner: "ada",
		generation,
		desired,
		fence: 1,
		workspace: id,
		launch: { ...launchSettings },
		attempts: 1,
	};
}

/** `2:ready` is the pod of launch 2 in state ready. */
function pods(...words: string[]): Pod[] {
	return words.map((word) => {
		const [generation, state] = word.split(":");
		return memoryPod(id, Number(generation), state as PodState);
	});
}

type Row = [desired: Desired, there: string, steps: string, reached: ObservedPhase, found?: ObservedPhase];

/** The claim is of launch 3. */
const table: Row[] = [
	["run", "", "create", "launching", "absent"],
	["run", "3:launching", "", "launching"],
	["run", "3:ready", "", "ready"],
	["run", "3:failed", "end 3", "failed"],
	["run", "3:leaving", "end 3", "leaving"],
	["run", "3:gone", "", "failed"],
	["run", "2:launching", "end 2", "blocked"],
	["run", "2:ready", "end 2", "blocked"],
	["run", "2:failed", "end 2", "blocked"],
	["run", "2:leaving", "end 2", "blocked"],
	["run", "2:gone", "forget 2, create", "launching", "absent"],
	["run", "1:gone 2:gone 3:ready", "forget 1, forget 2", "ready"],
	["run", "1:ready 2:gone", "end 1, forget 2", "blocked"],
	["run", "2:ready 3:ready", "end 2", "blocked"],
	["run", "2:gone 3:gone", "forget 2", "failed"],
	["stop", "", "", "absent"],
	["stop", "3:launching", "end 3", "leaving"],
	["stop", "3:ready", "end 3", "leaving"],
	["stop", "3:failed", "end 3", "leaving"],
	["stop", "3:leaving", "end 3", "leaving"],
	["stop", "3:gone", "forget 3", "absent"],
	["stop", "2:gone 3:ready", "forget 2, end 3", "leaving"],
	["stop", "2:gone 3:gone", "forget 2, forget 3", "absent"],
	["purge", "", "purge", "absent"],
	["purge", "3:ready", "end 3", "leaving"],
	["purge", "3:gone", "forget 3, purge", "absent"],
	["purge", "2:leaving 3:gone", "end 2, forget 3", "leaving"],
];

describe("plan", () => {
	for (const [desired, there, steps, reached, found = reached] of table) {
		it(`${desired} with ${there || "no pod"}: ${steps || "nothing to do"}, ${reached}`, () => {
			const decided = plan(claim(desired), pods(...there.split(" ").filter(Boolean)));
			const words = decided?.steps.map((step) => ("pod" in step ? `${step.kind} ${step.pod.generation}` : step.kind));
			expect(words?.join(", ")).to.equal(steps);
			expect(decided?.reached.phase).to.equal(reached);
			expect(decided?.found.phase).to.equal(found);
		});
	}

	it("does not make the pod of a launch again that has run, and reports that it is gone", () => {
		const ran = { ...claim("run"), has_run: true };
		for (const [there, steps] of [
			["", []],
			["2:gone", ["forget"]],
		] as const) {
			const decided = plan(ran, pods(...there.split(" ").filter(Boolean)));
			expect(decided?.steps.map(({ kind }) => kind)).to.deep.equal(steps);
			expect(decided?.reached.phase).to.equal("absent");
		}
		expect(plan(ran, pods("3:ready"))?.reached.phase).to.equal("ready");
	});

	it("reports a pod with long texts within the bounds of the contract (C1)", () => {
		const wordy = "\u0001".repeat(16_000);
		const failure = { code: wordy, message: `\u001b${"x".repeat(16_000)}` };
		const pod = { ...memoryPod(id, 3, "failed"), failure, agent_title: wordy, timings: { [wordy]: wordy } };
		const observed = plan(claim("run"), [pod])?.reached;
		const report = { id, fence: 1, generation: 3, observed, due_in_ms: 0 };
		expect(compileSchema(sessionWork.actions.observe.params)(report)).to.deep.equal([]);
		expect(observed?.failure?.message).to.equal("x".repeat(4_095));
	});

	it("reports the sentences of a pod without what a terminal or a log would obey", () => {
		const pod = { ...memoryPod(id, 3, "ready"), warnings: ["W\u001b[2J\nFORGED LINE"], agent_title: "A\u0007\nB" };
		const observed = plan(claim("run"), [pod])?.reached;
		expect(observed?.warnings).to.deep.equal(["W [2J FORGED LINE"]);
		expect(observed?.agent_title).to.equal("A B");
	});

	it("reports the times of a pod's own steps, and none that are no times, or those of the platform", () => {
		const time = "2999-01-01T00:00:00.000Z";
		const nasty = {
			requested: time,
			claimed: time,
			"s\u001b[2J": time,
			"": time,
			spawned: "\u001b[2J",
			set_up: "soon",
		};
		const pod = { ...memoryPod(id, 3, "ready"), timings: { ...nasty, cloned: time, ready: "2026-11-20T20:34:19Z" } };
		const observed = plan(claim("run"), [pod])?.reached;
		expect(observed?.timings).to.deep.equal({ cloned: time, ready: "2026-11-20T20:34:19Z" });
	});

	it("reports no clone whose folder a terminal would obey", () => {
		const clones = ["a/b", "a\u001b[2J", "a\nb", "a\u202eb", "x".repeat(256)].map((path) => ({ path, ms: 1 }));
		const observed = plan(claim("run"), [{ ...memoryPod(id, 3, "ready"), clones }])?.reached;
		expect(observed?.clones).to.deep.equal([{ path: "a/b", ms: 1 }]);
	});

	for (const desired of ["run", "stop", "purge"] as const) {
		it(`${desired} does and says nothing when a pod of a newer launch is there, even a gone one`, () => {
			expect(plan(claim(desired), pods("4:launching"))).to.equal(undefined);
			expect(plan(claim(desired), pods("3:ready", "4:gone"))).to.equal(undefined);
		});
	}

	it("reports the workspace as removed only after it was purged", () => {
		const decided = plan(claim("purge"), []);
		expect(decided?.reached.purged).to.equal(true);
		expect(decided?.found.purged).to.equal(false);
		expect(plan(claim("stop"), [])?.reached.purged).to.equal(false);
	});

	it("reports what the pod says about itself", () => {
		expect(plan(claim("run"), pods("3:ready"))?.reached).to.deep.equal({
			phase: "ready",
			pod_name: `session-${id}-g3`,
			address: "http://127.0.0.1:9",
			timings: { spawned: "2026-11-20T20:34:19.123Z" },
			agent_title: "In memory",
			purged: false,
		});
	});

	it("keeps the pod's own reason for its failure, and has one for a pod without a reason", () => {
		const failure = { code: "CLONE_FAILED", message: "No such repository" };
		for (const state of ["failed", "gone"] as const) {
			const told = plan(claim("run"), [{ ...memoryPod(id, 3, state), failure }]);
			expect(told?.reached.failure).to.deep.equal(failure);
			expect(plan(claim("run"), [memoryPod(id, 3, state)])?.reached.failure?.code).to.equal("POD_LOST");
		}
	});
});

const states: PodState[] = ["launching", "ready", "failed", "leaving", "gone"];
const anyPods = fc.uniqueArray(
	fc.record({ generation: fc.integer({ min: 1, max: 3 }), state: fc.constantFrom(...states) }),
	{
		selector: ({ generation }) => generation,
	},
);
/** The pods change by themselves: `steps[n]` decides at the n-th look; at the end all leaving pods are gone. */
const anyCourse = fc.array(fc.constantFrom("stay", "advance", "fail", "die"), { maxLength: 12 });

describe("passes over a simulated runtime", () => {
	it("reach the desired state from any pods, with any changes meanwhile, and never start one beside another", async () => {
		await fc.assert(fc.asyncProperty(fc.constantFrom<Desired>("run", "stop", "purge"), anyPods, anyCourse, converges), {
			numRuns: 1_000,
		});
	});
});

async function converges(desired: Desired, initial: { generation: number; state: PodState }[], course: string[]) {
	const moves = [...course];
	const runtime = new MemoryPods((pod) => moved(pod, moves.shift() ?? "advance"));
	const session = randomUUID();
	runtime.workspaces.add(session);
	for (const { generation, state } of initial) runtime.put(memoryPod(session, generation, state));
	const dependencies = { runtime, specOf: () => podSpecFor(session, 3) };

	let phase: ObservedPhase | undefined;
	let purged = false;
	for (let round = 0; round < 40; round++) {
		const { report, trouble } = await runPass({ ...claim(desired), id: session }, dependencies, monotonic());
		if (trouble !== undefined) throw trouble;
		phase = report?.observed.phase;
		purged = report?.observed.purged ?? false;
	}
	const left = runtime.ofSession(session);
	if (desired === "run") {
		expect(phase).to.be.oneOf(["ready", "failed"]);
		expect(left.map(({ generation }) => generation)).to.deep.equal([3]);
		expect(left[0]?.state).to.equal(phase === "ready" ? "ready" : "gone");
	} else {
		expect(left).to.deep.equal([]);
		expect(phase).to.equal("absent");
	}
	expect(purged).to.equal(desired === "purge");
	expect(runtime.purged.has(session)).to.equal(desired === "purge");
}

function moved({ state }: Pod, move: string): PodState | undefined {
	if (state === "gone" || move === "stay") return undefined;
	if (move === "die" || state === "leaving") return "gone";
	if (move === "fail" || state === "failed") return "failed";
	return "ready";
}
