/** Keeps the tests of a suite within one day in UTC: what a day has is asked for a moment after it was written. */
import { after, before } from "mocha";
import { now, turnClock } from "#shared/clock.ts";

const dayMs = 24 * 3_600_000;

/** For the tests of a suite the clock goes on as ever, but from noon of today on. */
export function fromNoonOn(): void {
	let turnBack: () => void;

	before(() => {
		const noon = now() - (now() % dayMs) + dayMs / 2;
		const begun = performance.now();
		turnBack = turnClock({
			now: () => noon + Math.floor(performance.now() - begun),
			monotonic: () => performance.now(),
		});
	});
	after(() => turnBack());
}
