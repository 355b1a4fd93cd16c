import { expect } from "chai";
import type { Launch } from "#services/pod-manager/pod-runtimes/launches/launch.ts";
import { LaunchFailures } from "#services/pod-manager/pod-runtimes/machine/launch-failures.ts";

const sessionId = "11111111-2222-4333-8444-555555555555";
const first: Launch = { sessionId, generation: 1 };
const second: Launch = { sessionId, generation: 2 };

describe("LaunchFailures", () => {
	const failures = () => new LaunchFailures((count) => `Cannot feed ${count} session(s)`);

	it("tells how many there are and the last cause of the one that is known longest", () => {
		const told = failures();
		expect(told.trouble).to.equal(undefined);
		told.add(first, new Error("the disk is full"));
		told.add(second, new Error("the disk is slow"));
		told.add(first, "no disk");
		expect(told.trouble).to.equal(`Cannot feed 2 session(s), of "${sessionId}-g1" among them: no disk`);
	});

	it("forgets a launch that succeeds, and those that are not there any more", () => {
		const told = failures();
		for (const launch of [first, second]) told.add(launch, new Error("the disk is full"));
		told.delete(first);
		expect(told.trouble).to.include("1 session(s)").and.include(`${sessionId}-g2`);
		told.forgetOthers([first, second]);
		expect(told.trouble).to.be.a("string");
		told.forgetOthers([first]);
		expect(told.trouble).to.equal(undefined);
	});

	it("calls a launch as it is told to, also when it forgets", () => {
		const told = new LaunchFailures(
			() => "Cannot feed",
			({ generation }) => `box ${generation}`,
		);
		told.add(first, new Error("no food"));
		told.forgetOthers([first]);
		expect(told.trouble).to.equal('Cannot feed, of "box 1" among them: no food');
		told.delete(first);
		expect(told.trouble).to.equal(undefined);
	});
});
