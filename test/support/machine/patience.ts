/** Returns the factor by which durations may grow on a machine with other work; 1 while a processor is free. */
import { availableParallelism, loadavg } from "node:os";

export function patience(): number {
	const [lastMinute = 0] = loadavg();
	return Math.max(1, lastMinute / availableParallelism());
}
