/**
 * Checks that the file system answers: without one of the few threads for file operations no session starts. The caller
 * sets the deadline. Only one operation runs at a time, so that the check itself does not use up threads.
 */
import { lstat } from "node:fs/promises";
import type { ReadinessCheck } from "../platform.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";

/** Returns the check. @param path The path whose status is read; it need not exist. */
export function fileCheck(path: string): ReadinessCheck {
	const answers = new SingleFlight(() => answer(path));
	return () => answers.join();
}

async function answer(path: string): Promise<void> {
	await lstat(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "ENOENT") throw error;
	});
}
