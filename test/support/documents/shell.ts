/** Runs a script of a document with bash, as a person does who pastes it into a terminal. Needs: curl. Needs: jq. Needs: openssl. */
import { type ChildProcess, spawn } from "node:child_process";

export interface ShellOptions {
	/** The working folder. */
	readonly folder: string;
	readonly env?: Readonly<Record<string, string>>;
	/** The script is killed then, with all of its processes. Default: 60 s. */
	readonly withinMs?: number;
}

/** A script that runs. */
export class Shell implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly #ended: Promise<number | null>;
	readonly #timer: NodeJS.Timeout;
	/** All that it has printed so far. */
	output = "";
	/** All of its standard error so far. */
	errors = "";

	constructor(script: string, { folder, env = {}, withinMs = 60_000 }: ShellOptions) {
		const { PATH = "" } = process.env;
		this.#child = spawn("bash", ["-c", script], {
			cwd: folder,
			env: { PATH, HOME: folder, ...env },
			stdio: ["ignore", "pipe", "pipe"],
			// It leads a group of its own, which ends as a whole.
			detached: true,
		});
		this.#child.stdout?.on("data", (chunk: Buffer) => {
			this.output += chunk.toString();
		});
		this.#child.stderr?.on("data", (chunk: Buffer) => {
			this.errors += chunk.toString();
		});
		this.#ended = new Promise((resolve, reject) => {
			this.#child.on("close", (code) => resolve(code));
			this.#child.on("error", reject);
		});
		this.#timer = setTimeout(() => this.#kill(), withinMs);
	}

	/** Resolves to the output. @throws {Error} when the script does not end with 0. */
	async result(): Promise<string> {
		const code = await this.#ended;
		clearTimeout(this.#timer);
		if (code !== 0) throw new Error(`The script ended with ${code}:\n${this.output}\n${this.errors}`);
		return this.output;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearTimeout(this.#timer);
		this.#kill();
		await this.#ended;
	}

	#kill(): void {
		const { pid, exitCode, signalCode } = this.#child;
		if (pid === undefined || exitCode !== null || signalCode !== null) return;
		process.kill(-pid, "SIGKILL");
	}
}
