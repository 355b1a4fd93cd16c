/**
 * Readiness of the file system: without one of the few threads for file operations no session starts. Whoever asks sets the
 * deadline; one operation at a time, so that asking takes no further thread.
 */
import { lstat } from "node:fs/promises";
import type { ReadinessCheck } from "#shared/platform.ts";

/** @param path Asked about; that there is nothing is an answer too. */
export function fileCheck(path: string): ReadinessCheck {
	let asked: Promise<void> | undefined;
	return () => (asked ??= answer(path).finally(() => (asked = undefined)));
}

async function answer(path: string): Promise<void> {
	await lstat(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "ENOENT") throw error;
	});
}
