/** A wall clock that moves only when the test says so. */
import { now, turnClock } from "#shared/base/clock.ts";

/** The clock of this process until it is disposed of. */
export interface StoppedClock extends Disposable {
	/** Moves the clock forward. */
	advance(milliseconds: number): void;
}

/** Stops the wall clock at the present time; the monotonic one runs on. */
export function stopClock(): StoppedClock {
	let time = now();
	const turnBack = turnClock({ now: () => time, monotonic: () => performance.now() });
	return {
		advance(milliseconds) {
			time += milliseconds;
		},
		[Symbol.dispose]: turnBack,
	};
}
