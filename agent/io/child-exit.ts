/** Waits for the end of a child process and of its output. */
import type { ChildProcess } from "node:child_process";
import { after } from "#shared/base/clock.ts";
import { shellExitCode } from "./process-group.ts";

/** The limit on the wait for the output: a daemon that the child started may hold the pipes open for ever. */
const pipeGraceMs = 250;

/**
 * Resolves with the exit code in the form of a shell, after the output has ended too.
 * @throws {Error} when the program cannot be started.
 */
export function exitOf(child: ChildProcess): Promise<number> {
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("exit", (code, signal) => {
			const done = (): void => resolve(shellExitCode(code, signal));
			child.once("close", done);
			after(pipeGraceMs, done);
		});
	});
}
