import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { PodRuntime, PodSpec } from "#services/pod-manager/pod-runtime.ts";
import { runPass } from "#services/pod-manager/reconciliation/pass.ts";
import { monotonic } from "#shared/base/clock.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { ContainedPods } from "../../../../support/pods/contained-pods.ts";
import { MemoryPods, podSpecFor } from "../../../../support/pods/memory-pods.ts";

/** The age of a claim whose pass has 300 ms left. */
const nearlyOverMs = 8_700;
const leftMs = 300;

/** Resolves when the signal aborts, as a call does to a server that keeps silent. */
function silence(signal: AbortSignal | undefined): Promise<never> {
	return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

describe("runPass()", () => {
	const id = randomUUID();
	const whose = { tenant: "acme", owner: "ada", workspace: id };
	const claim: Claim = { id, ...whose, generation: 1, desired: "run", fence: 1, launch: {}, attempts: 1 };
	const mounts = [{ host_path: "/srv/engine", path: "", read_only: false }];
	const pass = (runtime: PodRuntime) =>
		runPass(claim, { runtime, specOf: () => podSpecFor(id, 1) }, monotonic() - nearlyOverMs);

	it("ends in its time when the place keeps silent, and says nothing of pods that it has not seen", async () => {
		class SilentPods extends MemoryPods {
			override find(_id: string, signal?: AbortSignal): Promise<never> {
				return silence(signal);
			}
		}
		const begun = monotonic();
		const outcome = await pass(new SilentPods()).catch((error: unknown) => error);
		expect(outcome).to.be.an("error");
		expect(monotonic() - begun).to.be.below(3 * leftMs);
	});

	it("ends in its time when a step takes too long, and is tried again", async () => {
		class SlowPods extends MemoryPods {
			override create(_spec: PodSpec, signal?: AbortSignal): Promise<void> {
				return silence(signal);
			}
		}
		const begun = monotonic();
		const { report, trouble } = await pass(new SlowPods());
		expect(monotonic() - begun).to.be.below(3 * leftMs);
		expect(trouble).to.be.an("error");
		expect(report?.observed.phase).to.equal("absent");
		expect(report?.due_in_ms).to.be.within(500, 1_000);
	});

	it("fails a launch that needs a folder of the machine where pods have none, and starts nothing", async () => {
		const runtime = new ContainedPods();
		const { report } = await runPass(claim, { runtime, specOf: () => podSpecFor(id, 1, { mounts }) }, monotonic());
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
