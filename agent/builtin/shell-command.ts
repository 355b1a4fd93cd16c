/** One shell command in the workspace: its output in the order it was written, its exit code, its end on request. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { after } from "#shared/clock.ts";
import { BoundedText } from "../io/bounded-text.ts";
import { exitOf } from "../io/child-exit.ts";
import { signalGroup } from "../io/process-group.ts";

export interface ShellOutcome {
	/** Standard output and standard error, with a marker in the middle where too much was left out. */
	output: string;
	/** 128 + n when signal n ended it. */
	exitCode: number;
	/** Why it was ended, when it did not end by itself; else empty. */
	remark: string;
}

export interface RunningShell {
	readonly ended: Promise<ShellOutcome>;
	/** Its output so far, and how many characters it has written. */
	soFar(): { text: string; length: number };
}

export interface ShellOptions {
	folder: string;
	/** Ends it, with everything in its process group. */
	signal: AbortSignal;
	/** Default 10 min. */
	limitMs?: number;
	/** Between the request to end and the end by force. Default 1 s. */
	graceMs?: number;
	/** Characters of output that are kept. Default 262,144. */
	maxLength?: number;
}

const timeLimitMs = 600_000;
const defaultGraceMs = 1_000;
const defaultMaxLength = 262_144;

/** Both outputs in one pipe, or their order would be lost; the cache is this program's, not its commands'. */
const wrapper = 'unset NODE_COMPILE_CACHE; exec "$0" -c "$1" 2>&1';

/** The environment is this process's own, which the session agent made from its list of allowed variables. */
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
