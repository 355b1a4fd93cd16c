/** The process of a coding agent. Its end includes everything that it started. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { sleep } from "#shared/base/clock.ts";
import { niceness, setNiceness } from "#shared/wire/pod/niceness.ts";
import type { AgentRecord } from "./agent-record.ts";
import { type CommandTime, endCommands } from "./command-end.ts";
import type { Environment } from "../io/environment.ts";
import { LastWords } from "./last-words.ts";
import { LineSplitter } from "../io/line-splitter.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { shellExitCode, signalGroup } from "../io/process-group.ts";
import { sweepProcesses } from "../io/process-sweep.ts";
import type { PreloadedAgent } from "./preloaded-agent.ts";

/** How long each way of asking the agent to end may take. */
const patienceMs = 3_000;

/** The environment variable whose value marks one coding agent and everything that it starts. */
const markName = "ATELIER_CODING_AGENT";

type StartedAgent = Pick<AgentRecord, "id" | "env" | "end_signal" | "chatter"> & {
	readonly command: readonly string[];
	/** A process that was started ahead, for the first agent that needs the same command. */
	readonly preloaded?: PreloadedAgent | undefined;
};

export class AgentProcess {
	/** Resolves with a sentence when the process and its commands have ended, or it could not be started. */
	readonly ended: Promise<string>;
	readonly #child: ChildProcessWithoutNullStreams;
	readonly #mark: Environment = { [markName]: randomUUID() };
	readonly #endSignal: AgentRecord["end_signal"];
	readonly #lastWords = new LastWords();
	readonly #log: LogBuffer;

	/** @param folder The working directory of the process. The agent receives the folder of the workspace later. */
	constructor(
		{ id, command, env: ownEnv, end_signal, chatter, preloaded }: StartedAgent,
		env: Environment,
		folder: string,
		log: LogBuffer,
	) {
		const [program = "", ...args] = command;
		const isChatter = (line: string): boolean => chatter !== "" && line.includes(chatter);
		const whole = { ...env, ...ownEnv, ...this.#mark };
		const child =
			preloaded?.become({ command, env: whole, folder }) ??
			spawn(program, args, { cwd: folder, env: whole, detached: true, stdio: "pipe" });
		setNiceness(child.pid, niceness.codingAgent);
		this.#child = child;
		this.#log = log;
		this.#endSignal = end_signal;
		// A write to a process that has ended is reported by `ended`.
		child.stdin.on("error", () => {});
		const lines = new LineSplitter((line) => {
			this.#lastWords.add(line);
			log.add(isChatter(line) ? "DEBUG" : "INFO", id, line);
		});
		child.stderr.on("data", (chunk: Buffer) => lines.push(chunk));
		this.ended = new Promise((resolve) => {
			child.once("error", (error) => resolve(`The coding agent cannot be started: ${error.message}`));
			child.once("exit", (code, signal) => {
				signalGroup(child.pid, "SIGKILL");
				lines.end();
				const sentence =
					signal === null ? this.#exitSentence(shellExitCode(code, signal)) : `The coding agent was ended by ${signal}`;
				// The agent's commands lead process groups of their own.
				void sweepProcesses(this.#mark).then(() => resolve(sentence));
			});
		});
	}

	get input(): Writable {
		return this.#child.stdin;
	}

	get output(): Readable {
		return this.#child.stdout;
	}

	/** Ends the processes that a command of the agent left running. */
	endCommands(time: CommandTime): Promise<void> {
		return endCommands(this.#mark, time);
	}

	kill(): void {
		if (this.#isAlive) signalGroup(this.#child.pid, "SIGKILL");
	}

	/** Ends the agent: by the end of its input with the signal of its record, then SIGTERM, then SIGKILL, 3 s apart. */
	async close(): Promise<void> {
		this.#child.stdin.end();
		if (this.#endSignal !== "none" && this.#isAlive) signalGroup(this.#child.pid, this.#endSignal);
		for (const signal of ["SIGTERM", "SIGKILL"] as const) {
			await Promise.race([this.ended, sleep(patienceMs)]);
			if (!this.#isAlive) return;
			signalGroup(this.#child.pid, signal);
		}
		await this.ended;
	}

	get #isAlive(): boolean {
		const { pid, exitCode, signalCode } = this.#child;
		return pid !== undefined && exitCode === null && signalCode === null;
	}

	#exitSentence(code: number): string {
		const { text } = this.#lastWords;
		const last = text === "" ? "" : `: ${this.#log.withoutSecrets(text).slice(0, 300)}`;
		return `The coding agent ended with exit code ${code}${last}`;
	}
}
