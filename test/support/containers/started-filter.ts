/**
 * The filter of an engine as an operator runs it: a process of a user of its own, which has the group of the engine's socket,
 * and reads the names of folders that are closed to it. Needs root.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** A user that nobody is. */
const user = 231_900;

export interface StartedFilterOptions {
	/** The engine's socket. */
	readonly engine: string;
	readonly dataDir: string;
	readonly installation: string;
	readonly image: string;
}

export class StartedFilter implements AsyncDisposable {
	readonly #folder: string;
	readonly #process: ChildProcess;
	/** All that it has written. */
	output = "";

	private constructor(folder: string, child: ChildProcess) {
		this.#folder = folder;
		this.#process = child;
	}

	/** Resolves when it listens. @throws {Error} with its output when it ends before. */
	static async start({ engine, dataDir, installation, image }: StartedFilterOptions): Promise<StartedFilter> {
		const folder = mkdtempSync(join(tmpdir(), "atelier-filter-"));
		chownSync(folder, user, user);
		const rights = ["--reuid", String(user), "--regid", String(user), "--groups", String(statSync(engine).gid)];
		const caps = [
			"--bounding-set=-all,+dac_read_search",
			"--inh-caps=-all,+dac_read_search",
			"--ambient-caps=-all,+dac_read_search",
		];
		const listen = join(folder, "filter.sock");
		const options = ["--engine", engine, "--listen", listen, "--data-dir", dataDir];
		const own = ["--installation", installation, "--image", image];
		const program = [process.execPath, "cli/engine-filter.ts", ...options, ...own];
		const child = spawn("setpriv", [...rights, ...caps, ...program], {
			cwd: projectRoot,
			env: { PATH: process.env["PATH"] },
			stdio: ["ignore", "pipe", "pipe"],
		});
		const filter = new StartedFilter(folder, child);
		await new Promise<void>((resolve, reject) => {
			const onText = (chunk: Buffer): void => {
				filter.output += chunk.toString();
				if (filter.output.includes("The filter listens")) resolve();
			};
			child.stdout.on("data", onText);
			child.stderr.on("data", onText);
			child.once("exit", () => reject(new Error(`The filter has ended: ${filter.output}`)));
		});
		return filter;
	}

	get socket(): string {
		return join(this.#folder, "filter.sock");
	}

	/** Ends it in order; resolves to its exit code. */
	async end(): Promise<number | null> {
		if (this.#process.exitCode === null && this.#process.signalCode === null) {
			this.#process.kill("SIGTERM");
			await once(this.#process, "exit");
		}
		return this.#process.exitCode;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.end();
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
