/** A real Gitea with two people, on a free port of loopback, and its data in a temporary folder. Needs: gitea. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../eventually.ts";
import { freePort } from "../../machine/free-port.ts";
import { testProgram } from "../../machine/test-program.ts";

/** Gitea is ready after 2 s on a free machine; it makes its database and the people first. */
const readyWithinMs = 120_000;

export class GiteaServer implements AsyncDisposable {
	readonly url: string;
	readonly #folder: string;
	readonly #process: ChildProcess;

	private constructor(port: number) {
		this.url = `http://127.0.0.1:${port}`;
		this.#folder = mkdtempSync(join(tmpdir(), "atelier-gitea-"));
		// A group of its own, because a shell starts the server.
		this.#process = spawn(testProgram("gitea"), [String(port), this.#folder], { stdio: "ignore", detached: true });
	}

	static async start(): Promise<GiteaServer> {
		const server = new GiteaServer(await freePort());
		const isReady = async () => (await fetch(`${server.url}/api/v1/version`)).status === 200;
		try {
			await eventually(isReady, { withinMs: readyWithinMs, what: "Gitea answers" });
			return server;
		} catch (error) {
			await server[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Returns the token of `ada`, an administrator, or of `bob`. */
	token(name: "ada" | "bob"): string {
		const lines = readFileSync(join(this.#folder, "tokens"), "utf8").split("\n");
		const [, token = ""] = lines.map((line) => line.split(" ")).find(([one]) => one === name) ?? [];
		return token;
	}

	/** Calls the API as somebody. @throws {Error} with the answer when it is no success. */
	async call(name: "ada" | "bob", method: string, path: string, body?: object): Promise<unknown> {
		const answer = await fetch(`${this.url}/api/v1${path}`, {
			method,
			headers: { authorization: `token ${this.token(name)}`, "content-type": "application/json" },
			...(body && { body: JSON.stringify(body) }),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`Gitea answered ${method} ${path} with ${answer.status}: ${text}`);
		return text === "" ? undefined : JSON.parse(text);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const { pid, exitCode, signalCode } = this.#process;
		if (pid !== undefined && exitCode === null && signalCode === null) {
			const exit = once(this.#process, "exit");
			process.kill(-pid, "SIGKILL");
			await exit;
		}
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
