/**
 * Ends this process reliably. An ordinary exit waits for every thread inside a file operation, and such an operation
 * may never return (a pipe without another end, an unreachable network disk).
 */
import { after, every } from "#shared/base/clock.ts";

/** The time that file operations under way have to finish, in milliseconds. */
const waitMs = 1_000;
const askMs = 10;

/** The names of file operations in `process.getActiveResourcesInfo()`. */
const fileOperation = /^(?:FSReq|CloseReq)/;

/** Ends the process at once when no file operation is under way, and by force when one does not return. */
export function endProcess(code: number): void {
	if (!isAtFiles()) process.exit(code);
	every(askMs, () => {
		if (!isAtFiles()) process.exit(code);
	});
	after(waitMs, forceEnd, { keepAlive: true });
}

function forceEnd(): void {
	console.error("Ends by force: a file operation does not return");
	process.kill(process.pid, "SIGKILL");
}

function isAtFiles(): boolean {
	return process.getActiveResourcesInfo().some((name) => fileOperation.test(name));
}
