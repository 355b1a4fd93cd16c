/** How many times as long things may take on a machine that others use, too; 1 when whoever wants a core has one. */
import { availableParallelism, loadavg } from "node:os";

export function patience(): number {
	const [lastMinute = 0] = loadavg();
	return Math.max(1, lastMinute / availableParallelism());
}
