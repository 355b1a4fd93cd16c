/** Programs that run for a test, by their names: each has a log and can be killed, held and started again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testProgram } from "../../machine/test-program.ts";

export class PartProcesses<Name extends string> {
	readonly #folder: string;
	readonly #running = new Map<Name, ChildProcess>();

	/** @param folder The folder of their logs. */
	constructor(folder: string) {
		this.#folder = folder;
	}

	/** @throws {Error} when it runs already. */
	start(name: Name, args: readonly string[]): void {
		if (this.isRunning(name)) throw new Error(`${name} runs already`);
		const log = openSync(this.#logOf(name), "a");
		try {
			this.#running.set(name, spawn(testProgram(name), args, { stdio: ["ignore", log, log] }));
		} finally {
			closeSync(log);
		}
	}

	isRunning(name: Name): boolean {
		const child = this.#running.get(name);
		return child !== undefined && child.exitCode === null && child.signalCode === null;
	}

	/** Sends a signal, such as SIGSTOP; does nothing when it has ended. */
	signal(name: Name, signal: NodeJS.Signals): void {
		this.#running.get(name)?.kill(signal);
	}

	/** Ends it as a power cut does, and resolves when it has ended. */
	async kill(name: Name): Promise<void> {
		const child = this.#running.get(name);
		this.#running.delete(name);
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const exit = once(child, "exit");
		child.kill("SIGKILL");
		await exit;
	}

	async killAll(): Promise<void> {
		for (const name of this.#running.keys()) await this.kill(name);
	}

	/** The last lines of its log. */
	lastWords(name: Name): string {
		return readFileSync(this.#logOf(name), "utf8").split("\n").slice(-12).join("\n");
	}

	#logOf(name: Name): string {
		return join(this.#folder, `${name}.log`);
	}
}
