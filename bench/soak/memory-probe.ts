/**
 * Is loaded into the measured platform (`node --import`). On SIGUSR2 it collects garbage and prints the memory that is left as
 * one line of JSON.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// Programs of sessions inherit NODE_OPTIONS, and are not measured.
if (process.argv[1]?.endsWith("host/main.js")) {
	setFlagsFromString("--expose-gc");
	const collectGarbage: () => void = runInNewContext("gc");
	process.on("SIGUSR2", () => {
		collectGarbage();
		collectGarbage();
		const { rss, heapUsed, external } = process.memoryUsage();
		console.log(JSON.stringify({ soak: { rss, heap: heapUsed, external } }));
	});
}
