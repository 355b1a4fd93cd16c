/** The platform as a person starts it: `npm start`, in a process group of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { isThere } from "../machine/is-there.ts";

/** One run of `npm start`. Disposing kills what is left of its group. */
export class NpmStart implements AsyncDisposable {
	readonly port: number;
	readonly #npm: ChildProcess;
	readonly #closed: Promise<unknown>;
	#said = "";

	private constructor(port: number, npm: ChildProcess) {
		this.port = port;
		this.#npm = npm;
		this.#closed = once(npm, "close");
	}

	/** Resolves when it listens. @param folder The data are in its folder `data`, and it has no engine's socket unless `env` names one. */
	static begin(folder: string, env: NodeJS.ProcessEnv, withinMs = 60_000): Promise<NpmStart> {
		const data = { DATA_DIR: join(folder, "data"), PODS__RUNTIME__KWARGS__SOCKET: join(folder, "no-engine.sock") };
		return NpmStart.beginIn(projectRoot, { ...data, ...env }, withinMs);
	}

	/** Does the same in another checkout, with its default data folder if the environment names none. */
	static async beginIn(checkout: string, env: NodeJS.ProcessEnv, withinMs = 60_000): Promise<NpmStart> {
		const port = await freePort();
		const npm = spawn("npm", ["start"], {
			cwd: checkout,
			env: { ...env, PORT: String(port), NO_UPDATE_NOTIFIER: "1" },
			stdio: ["ignore", "pipe", "inherit"],
			detached: true,
		});
		const started = new NpmStart(port, npm);
		try {
			npm.stdout.on("data", (chunk: Buffer) => (started.#said += chunk));
			await eventually(() => started.said.includes(`Atelier listens on http://127.0.0.1:${port}`), { withinMs });
		} catch (error) {
			await started[Symbol.asyncDispose]();
			throw error;
		}
		return started;
	}

	/** The output so far. */
	get said(): string {
		return this.#said;
	}

	get pid(): number {
		return this.#npm.pid ?? 0;
	}

	/** Resolves when npm has ended. @param to `group`: the signal goes to all processes, as Ctrl-C does. */
	async end(signal: NodeJS.Signals, to: "npm" | "group"): Promise<void> {
		process.kill(to === "group" ? -this.pid : this.pid, signal);
		await this.#closed;
	}

	/** Resolves when no process of its group is left. */
	async gone(): Promise<void> {
		await eventually(() => !isThere(-this.pid), { what: "no process of its group is left" });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#npm.exitCode === null && this.#npm.signalCode === null) process.kill(-this.pid, "SIGKILL");
		await this.gone();
	}
}
