import { expect } from "chai";
import { machineTime, now, trustMachineTime, turnClock } from "#shared/base/clock.ts";

const hourMs = 3_600_000;

describe("now()", () => {
	const wallClock = Date.now;
	afterEach(() => {
		Date.now = wallClock;
		trustMachineTime();
	});

	for (const stepMs of [hourMs, -hourMs])
		it(`does not follow a wall clock that is set by ${stepMs / 60_000} minutes, until that is trusted`, () => {
			trustMachineTime();
			Date.now = () => wallClock() + stepMs;
			expect(now()).to.be.closeTo(wallClock(), 100);
			expect(machineTime()).to.be.closeTo(wallClock() + stepMs, 100);
			trustMachineTime();
			expect(now()).to.be.closeTo(wallClock() + stepMs, 100);
			expect(Number.isInteger(now())).to.equal(true);
		});

	it("is that of a replaced clock, which leaves nothing behind", () => {
		const turnBack = turnClock({ now: () => 7, monotonic: () => 7 });
		trustMachineTime();
		expect([now(), machineTime()]).to.deep.equal([7, 7]);
		turnBack();
		expect(now()).to.be.closeTo(wallClock(), 100);
	});
});
