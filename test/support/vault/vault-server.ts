/** A real Vault in memory with a mount of key/value secrets at `secret`, on a free port of loopback. Needs: vault. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";

const readyWithinMs = 60_000;

export class VaultServer implements AsyncDisposable {
	readonly url: string;
	/** The token that may do everything. */
	readonly rootToken = "root-of-the-test";
	readonly #folder = mkdtempSync(join(tmpdir(), "atelier-vault-"));
	readonly #process: ChildProcess;

	private constructor(port: number) {
		this.url = `http://127.0.0.1:${port}`;
		const options = [`-dev-root-token-id=${this.rootToken}`, "-dev-no-store-token"];
		const args = ["server", "-dev", `-dev-listen-address=127.0.0.1:${port}`, ...options];
		this.#process = spawn(testProgram("vault"), args, { stdio: "ignore", env: { HOME: this.#folder } });
	}

	static async start(): Promise<VaultServer> {
		const server = new VaultServer(await freePort());
		try {
			const isReady = async () => (await fetch(`${server.url}/v1/sys/health`)).status === 200;
			await eventually(isReady, { withinMs: readyWithinMs, what: "Vault answers" });
			return server;
		} catch (error) {
			await server[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Makes a request as somebody who may do everything. Resolves to the answer, whatever its status. */
	async ask(
		method: string,
		path: string,
		body?: object,
		token = this.rootToken,
	): Promise<{ status: number; body: unknown }> {
		const answer = await fetch(`${this.url}/v1/${path}`, {
			method,
			headers: { "x-vault-token": token },
			...(body && { body: JSON.stringify(body) }),
		});
		const text = await answer.text();
		return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
	}

	/** Makes an empty mount of key/value secrets of version 2. Resolves to its name. */
	async makeMount(): Promise<string> {
		const mount = `kv-${randomUUID()}`;
		await this.done("POST", `sys/mounts/${mount}`, { type: "kv", options: { version: "2" } });
		return mount;
	}

	/** Makes a policy. Resolves to its name. */
	async makePolicy(policy: string): Promise<string> {
		const name = `policy-${randomUUID()}`;
		await this.done("PUT", `sys/policies/acl/${name}`, { policy });
		return name;
	}

	/** Resolves to a token that has the rights of a policy and no others. */
	async tokenWith(policy: string): Promise<string> {
		const body = { policies: [await this.makePolicy(policy)], no_default_policy: true };
		const { auth } = (await this.done("POST", "auth/token/create", body)) as {
			readonly auth: { client_token: string };
		};
		return auth.client_token;
	}

	/** Makes a request as {@link ask} does. @throws {Error} for an answer that is an error. */
	async done(method: string, path: string, body: object): Promise<unknown> {
		const answer = await this.ask(method, path, body);
		if (answer.status >= 300) throw new Error(`Vault answers ${answer.status}: ${JSON.stringify(answer.body)}`);
		return answer.body;
	}

	/** Stops answering, as a server that hangs. */
	pause(): void {
		this.#process.kill("SIGSTOP");
	}

	resume(): void {
		this.#process.kill("SIGCONT");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#process.exitCode === null && this.#process.signalCode === null) {
			const ended = once(this.#process, "exit");
			this.resume();
			this.#process.kill("SIGKILL");
			await ended;
		}
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
