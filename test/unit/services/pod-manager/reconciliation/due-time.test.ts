import { expect } from "chai";
import { dueInMs } from "#services/pod-manager/reconciliation/due-time.ts";
import type { ObservedPhase } from "#shared/contracts/sessions/session-work.ts";

describe("dueInMs()", () => {
	const phases: readonly ObservedPhase[] = ["absent", "blocked", "launching", "ready", "failed", "leaving"];
	const at = (attempts: number) => Object.fromEntries(phases.map((phase) => [phase, dueInMs(phase, attempts)]));

	it("is soon while something is under way", () => {
		const usual = { absent: 0, blocked: 250, launching: 1_000, ready: 30_000, failed: 250, leaving: 250 };
		expect(at(1)).to.deep.equal(usual);
		expect(at(20)).to.deep.equal({ ...usual, launching: 5_000 });
	});

	it("leaves a pod that takes long to start to the changes that the runtime tells", () => {
		const pauses = [4, 5, 6, 8, 9, 1_000].map((attempts) => dueInMs("launching", attempts));
		expect(pauses).to.deep.equal([1_000, 2_000, 3_000, 5_000, 5_000, 5_000]);
	});

	it("is later and later, up to 10 s, for what does not end", () => {
		for (const phase of ["blocked", "failed", "leaving"] as const) {
			expect(dueInMs(phase, 21)).to.be.within(250, 500);
			expect(dueInMs(phase, 23)).to.be.within(1_000, 2_000);
			expect(dueInMs(phase, 1_000_000)).to.be.within(5_000, 10_000);
		}
		expect([dueInMs("launching", 1_000), dueInMs("ready", 1_000), dueInMs("absent", 1_000)]).to.deep.equal([
			5_000, 30_000, 0,
		]);
	});
});
