import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { unlike } from "#services/pod-manager/reconciliation/unlike.ts";
import { memoryPod } from "../../../../support/pods/memory-pods.ts";

describe("unlike", () => {
	const id = randomUUID();
	const cases = [
		["run", 1, "ready", false],
		["run", 1, "failed", false],
		["run", 1, "gone", true],
		["run", 2, "ready", true],
		["stop", 1, "ready", true],
		["purge", 1, "gone", true],
	] as const;
	for (const [desired, generation, state, expected] of cases)
		it(`${desired} of launch ${generation}, pod of launch 1 is ${state}: ${expected ? "look" : "fine"}`, () => {
			const sessions = new Map([[id, { id, generation, desired }]]);
			expect([...unlike(sessions, [memoryPod(id, 1, state)])]).to.deep.equal(expected ? [id] : []);
		});

	it("does not look at sessions that want no pod and have none", () => {
		expect([...unlike(new Map([[id, { id, generation: 1, desired: "stop" as const }]]), [])]).to.deep.equal([]);
	});
});
