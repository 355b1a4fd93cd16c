import { expect } from "chai";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { monotonic } from "#shared/base/clock.ts";
import { runPass } from "#services/pod-manager/reconciliation/pass.ts";
import { ContainedPods } from "../../../../support/pods/contained-pods.ts";
import { MemoryPods, podSpecFor } from "../../../../support/pods/memory-pods.ts";

const id = "0b1f7e6a-52a4-4c54-9d8e-6f1f3f5a7c02";
const mounts = [{ host_path: "/srv/engine", path: "", read_only: false }];
const claim: Claim = {
	id,
	tenant: "acme",
	owner: "ada",
	desired: "run",
	generation: 1,
	fence: 1,
	workspace: id,
	attempts: 0,
	launch: {},
};

describe("runPass()", () => {
	it("fails a launch that needs a folder of the machine where pods have none, and starts nothing", async () => {
		const runtime = new ContainedPods();
		const specOf = () => podSpecFor(id, 1, { mounts });
		const { report } = await runPass(claim, { runtime, specOf }, monotonic());
		expect(report?.observed).to.include({ phase: "failed" });
		expect(report?.observed.failure?.code).to.equal("MOUNT_FAILED");
		expect(report?.observed.failure?.message).to.include('the folder "/srv/engine" cannot be used');
		expect(runtime.ofSession(id)).to.deep.equal([]);
	});

	it("starts it where they have them", async () => {
		const runtime = new MemoryPods();
		await runPass(claim, { runtime, specOf: () => podSpecFor(id, 1, { mounts }) }, monotonic());
		expect(runtime.ofSession(id)).to.have.length(1);
	});
});
