/** How much memory this process really holds: what is left after a garbage collection. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

export function heldBytes(): number {
	// Buffers that a collection finds dead are freed beside it, and counted as freed by the next one.
	collectGarbage();
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
