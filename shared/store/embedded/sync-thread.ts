/** The thread that syncs: it receives the descriptor of a file, and sends undefined when its data is on the disk, or the error. */
import { fdatasyncSync } from "node:fs";
import { parentPort } from "node:worker_threads";

parentPort?.on("message", (descriptor: number) => {
	try {
		fdatasyncSync(descriptor);
		parentPort?.postMessage(undefined);
	} catch (error) {
		parentPort?.postMessage(error);
	}
});
