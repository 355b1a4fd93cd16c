import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { endAllPods, endedSessions, stillRunning } from "#services/pod-manager/exit.ts";
import { eventually } from "../../../support/eventually.ts";
import { openLocalPods } from "../../../support/pods/local-pods.ts";
import { MemoryPods, memoryPod, podSpecFor } from "../../../support/pods/memory-pods.ts";

describe("the end of the platform", () => {
	it("ends every living pod and keeps the records of the others", async () => {
		const runtime = new MemoryPods();
		for (const state of ["launching", "ready", "failed", "gone"] as const)
			runtime.put(memoryPod(randomUUID(), 1, state));
		expect(endedSessions(await endAllPods(runtime))).to.equal("2 sessions were ended, as PODS__ON_EXIT=stop says");
		expect(endedSessions(await endAllPods(runtime))).to.equal(undefined);
		expect([...runtime.pods.values()].map(({ state }) => state)).to.deep.equal(["gone", "gone", "gone", "gone"]);
	});

	it("kills a session agent that is stuck, after the time it has to end in order (L3)", async () => {
		const pods = openLocalPods();
		try {
			const runtime = pods.runtime();
			const id = randomUUID();
			await runtime.create(podSpecFor(id, 1));
			const isReady = async () => (await runtime.find(id)).some(({ state }) => state === "ready");
			await eventually(isReady, { withinMs: 15_000, what: "the pod is ready" });
			for (const pid of pods.processes()) process.kill(pid, "SIGSTOP");
			await endAllPods(runtime, 500);
			expect(pods.processes()).to.deep.equal([]);
		} finally {
			await pods.close();
		}
	}).timeout(45_000);

	it("says how many sessions it leaves running", async () => {
		const runtime = new MemoryPods();
		runtime.put(memoryPod(randomUUID(), 1, "gone"));
		runtime.put(memoryPod(randomUUID(), 1, "failed"));
		expect(await stillRunning(runtime)).to.equal(undefined);
		runtime.put(memoryPod(randomUUID(), 1, "ready"));
		expect(await stillRunning(runtime)).to.equal(
			"1 session keeps running; it is found again at the next start (PODS__ON_EXIT=stop ends it instead)",
		);
		runtime.put(memoryPod(randomUUID(), 1, "launching"));
		expect(await stillRunning(runtime)).to.equal(
			"2 sessions keep running; they are found again at the next start (PODS__ON_EXIT=stop ends them instead)",
		);
	});
});
