import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { endAllPods, leftRunning } from "#services/pod-manager/exit.ts";
import { MemoryPods, memoryPod } from "../../../support/memory-pods.ts";

describe("the end of the platform", () => {
	it("ends every pod that lives and leaves the records of the others", async () => {
		const runtime = new MemoryPods();
		for (const state of ["launching", "ready", "failed", "gone"] as const)
			runtime.put(memoryPod(randomUUID(), 1, state));
		await endAllPods(runtime);
		expect([...runtime.pods.values()].map(({ state }) => state)).to.deep.equal(["gone", "gone", "gone", "gone"]);
	});

	it("says how many sessions it leaves running", async () => {
		const runtime = new MemoryPods();
		runtime.put(memoryPod(randomUUID(), 1, "gone"));
		runtime.put(memoryPod(randomUUID(), 1, "failed"));
		expect(await leftRunning(runtime)).to.equal(undefined);
		runtime.put(memoryPod(randomUUID(), 1, "ready"));
		expect(await leftRunning(runtime)).to.equal("1 session keeps running; it is found again at the next start");
		runtime.put(memoryPod(randomUUID(), 1, "launching"));
		expect(await leftRunning(runtime)).to.equal("2 sessions keep running; they are found again at the next start");
	});
});
