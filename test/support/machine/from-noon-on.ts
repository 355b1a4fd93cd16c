/** Keeps the tests of a suite within one day in UTC, because they read daily sums shortly after writing them. */
import { after, before } from "mocha";
import { now, turnClock } from "#shared/base/clock.ts";

const dayMs = 24 * 3_600_000;

/** Sets the clock to noon of today for the tests of a suite; it continues to run. */
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
