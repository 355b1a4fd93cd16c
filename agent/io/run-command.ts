/** Runs one program to its end, with bounds on its time and its output. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { after } from "#shared/base/clock.ts";
import { exitOf } from "./child-exit.ts";
import { LineSplitter } from "./line-splitter.ts";
import { signalGroup } from "./process-group.ts";

/** The bounds and surroundings of a program. */
export interface CommandOptions {
	cwd: string;
	env: Readonly<Record<string, string>>;
	/** The time in milliseconds after which the process group is killed. */
	timeoutMs: number;
	/** The process group is killed when the signal aborts. */
	signal?: AbortSignal;
	input?: string;
	/** The bound on standard output in bytes; a program that writes more is ended. The default is 1 MiB. */
	maxBytes?: number;
	onLine?: (line: string) => void;
}

export interface CommandResult {
	/** The exit code in the form of a shell: 128 + n when signal n ended the program. */
	code: number;
	stdout: Buffer;
	/** Standard output exceeded its bound, and the program was ended. */
	cut: boolean;
	timedOut: boolean;
	/** The last lines of standard error, at most 50. */
	words: string[];
}

const keptLines = 50;

/** @throws {Error} when the program cannot be started. */
export function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
	const { cwd, env, timeoutMs, signal, input = "" } = options;
	const child = spawn(command, args, { cwd, env, detached: true, stdio: "pipe" });
	const kill = (): void => signalGroup(child.pid, "SIGKILL");
	const collected = collect(child, options, kill);
	let timedOut = false;
	const timer = after(timeoutMs, () => {
		timedOut = true;
		kill();
	});
	signal?.addEventListener("abort", kill);
	if (signal?.aborted) kill();
	// A program that does not read its input has not failed.
	child.stdin.on("error", () => {});
	child.stdin.end(input);
	return exitOf(child)
		.then((code) => ({ code, timedOut, ...collected() }))
		.finally(() => {
			timer.cancel();
			signal?.removeEventListener("abort", kill);
		});
}

type Collected = Pick<CommandResult, "stdout" | "cut" | "words">;

/** Collects the output, and returns a function that tells what has been collected. */
function collect(
	child: ChildProcessWithoutNullStreams,
	{ maxBytes = 1_048_576, onLine }: CommandOptions,
	kill: () => void,
): () => Collected {
	const chunks: Buffer[] = [];
	const words: string[] = [];
	let bytes = 0;
	child.stdout.on("data", (chunk: Buffer) => {
		if (bytes < maxBytes) chunks.push(chunk.subarray(0, maxBytes - bytes));
		bytes += chunk.length;
		if (bytes > maxBytes) kill();
	});
	const lines = new LineSplitter((line) => {
		words.push(line);
		if (words.length > keptLines) words.shift();
		onLine?.(line);
	});
	child.stderr.on("data", (chunk: Buffer) => lines.push(chunk));
	return () => {
		lines.end();
		return { stdout: Buffer.concat(chunks), cut: bytes > maxBytes, words };
	};
}
