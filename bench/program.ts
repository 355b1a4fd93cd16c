/** Runs a program of the bench in a separate process, which reports to its parent when it is ready and ends with it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const endMs = 2_000;

/** A running program; its owner disposes of it. */
export class Program<Ready> implements AsyncDisposable {
	readonly ready: Ready;
	readonly #child: ChildProcess;

	private constructor(child: ChildProcess, ready: Ready) {
		this.#child = child;
		this.ready = ready;
	}

	/**
	 * Starts a program. @param file A file of this folder. Its only argument is the JSON of `order`; its first message
	 * is `Ready`.
	 */
	static async start<Ready>(file: string, order: unknown): Promise<Program<Ready>> {
		const path = fileURLToPath(new URL(file, import.meta.url));
		const child = fork(path, [JSON.stringify(order)]);
		const first = await Promise.race([
			once(child, "message"),
			once(child, "exit").then(() => Promise.reject(new Error(`${file} has ended before it was ready`))),
		]);
		return new Program(child, first[0] as Ready);
	}

	get pid(): number {
		return this.#child.pid ?? 0;
	}

	send(message: object): void {
		this.#child.send(message);
	}

	/** Resolves to the next message of the program. */
	async next<T>(): Promise<T> {
		const [message] = await once(this.#child, "message");
		return message as T;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		const ended = once(this.#child, "exit");
		const timer = setTimeout(() => this.#child.kill("SIGKILL"), endMs);
		this.#child.kill("SIGTERM");
		await ended;
		clearTimeout(timer);
	}
}

/** Returns, within a program, the order of its parent. */
export function order<T>(): T {
	return JSON.parse(process.argv[2] ?? "") as T;
}

/** Reports, within a program, that it is ready, and makes it end with its parent. */
export function report(message: object): void {
	process.on("disconnect", () => process.exit());
	process.send?.(message);
}
