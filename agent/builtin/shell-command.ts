/** Runs one shell command in the workspace, with its output in the order in which it was written. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { after } from "#shared/base/clock.ts";
import { BoundedText } from "../io/bounded-text.ts";
import { exitOf } from "../io/child-exit.ts";
import { signalGroup } from "../io/process-group.ts";

export interface ShellOutcome {
	/** The text holds standard output and standard error, with a marker in the middle where output was left out. */
	output: string;
	/** The code is 128 + n when signal n ended the command. */
	exitCode: number;
	/** The reason why the command was ended; empty when it ended by itself. */
	remark: string;
}

export interface RunningShell {
	readonly ended: Promise<ShellOutcome>;
	/** The output so far, and the number of characters that were written. */
	soFar(): { text: string; length: number };
}

export interface ShellOptions {
	folder: string;
	/** The signal ends the command with everything in its process group. */
	signal: AbortSignal;
	/** The default is 10 min. */
	limitMs?: number;
	/** The time between the request to end and the end by force. The default is 1 s. */
	graceMs?: number;
	/** The number of characters of output that are retained. The default is 262,144. */
	maxLength?: number;
}

const timeLimitMs = 600_000;
const defaultGraceMs = 1_000;
const defaultMaxLength = 262_144;

/** Both outputs share one pipe, which keeps their order. The compile cache is this program's, not its commands'. */
const wrapper = 'unset NODE_COMPILE_CACHE; exec "$0" -c "$1" 2>&1';

/** The command inherits the environment of this process, which the session agent made of allowed variables. */
export function startShell(
	command: string,
	{ folder, signal, limitMs = timeLimitMs, graceMs = defaultGraceMs, maxLength = defaultMaxLength }: ShellOptions,
): RunningShell {
	const shell = ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path)) ?? "sh";
	const child = spawn("sh", ["-c", wrapper, shell, command], {
		cwd: folder,
		detached: true,
		stdio: ["ignore", "pipe", "ignore"],
	});
	const output = new BoundedText(maxLength);
	const decoder = new StringDecoder("utf8");
	child.stdout?.on("data", (chunk: Buffer) => output.append(decoder.write(chunk)));
	let remark = "";
	const stop = (reason: string): void => {
		remark ||= reason;
		signalGroup(child.pid, "SIGTERM");
		after(graceMs, () => {
			if (child.exitCode === null && child.signalCode === null) signalGroup(child.pid, "SIGKILL");
		});
	};
	const timer = after(limitMs, () => stop(`Ended after ${spanOf(limitMs)}`));
	const onAbort = (): void => stop("Cancelled");
	signal.addEventListener("abort", onAbort);
	if (signal.aborted) onAbort();
	const ended = exitOf(child)
		.finally(() => {
			timer.cancel();
			signal.removeEventListener("abort", onAbort);
		})
		.then((exitCode) => ({ output: output.toString() + decoder.end(), exitCode, remark }));
	return { ended, soFar: () => ({ text: output.toString(), length: output.length }) };
}

function spanOf(ms: number): string {
	return ms < 120_000 ? `${ms / 1_000} s` : `${Math.round(ms / 60_000)} minutes`;
}
