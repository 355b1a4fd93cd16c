/** The end of a child process, with what it still had to say. */
import type { ChildProcess } from "node:child_process";
import { after } from "#shared/clock.ts";
import { shellExitCode } from "./process-group.ts";

/** A daemon left behind may hold the pipes open for ever; nothing is waited for after this. */
const pipeGraceMs = 250;

/** Exit code as a shell tells it, when the output has ended too. @throws {Error} when the program cannot be started. */
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
