/** Measures the memory that remains in this process after a garbage collection. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

export function heldBytes(): number {
	// Dead buffers are freed concurrently with a collection, and the next one counts them as freed.
	collectGarbage();
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
