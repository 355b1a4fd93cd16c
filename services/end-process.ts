/**
 * Ends this process, which an exit alone does not always: it waits for every thread that is inside a file operation, and
 * such an operation may never come back (a pipe without another end, a network disk that is gone).
 */
import { after, every } from "#shared/clock.ts";

/** For file operations under way. */
const waitMs = 1_000;
const askMs = 10;

/** Names of `process.getActiveResourcesInfo()`. */
const fileOperation = /^(?:FSReq|CloseReq)/;

/** At once when no file operation is under way; by force when one of them does not come back. */
export function endProcess(code: number): void {
	if (!isAtFiles()) process.exit(code);
	every(askMs, () => {
		if (!isAtFiles()) process.exit(code);
	});
	after(waitMs, forceEnd, { keepAlive: true });
}

function forceEnd(): void {
	console.error("Ends by force: a file operation does not come back");
	process.kill(process.pid, "SIGKILL");
}

function isAtFiles(): boolean {
	return process.getActiveResourcesInfo().some((name) => fileOperation.test(name));
}
