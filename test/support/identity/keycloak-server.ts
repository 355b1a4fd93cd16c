/** A real Keycloak with the realm of test/servers/keycloak-realm.json, on free ports of loopback. Needs: keycloak. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";

/** Keycloak is ready after 20 to 40 s on a free machine. */
const readyWithinMs = 240_000;

/** The tokens of one answer of the token endpoint. */
export interface KeycloakTokens {
	readonly access_token?: string;
	readonly id_token?: string;
	readonly refresh_token?: string;
}

export class KeycloakServer implements AsyncDisposable {
	readonly issuer: string;
	readonly #folder: string;
	readonly #process: ChildProcess;

	private constructor(port: number, managementPort: number) {
		this.issuer = `http://127.0.0.1:${port}/realms/atelier`;
		this.#folder = mkdtempSync(join(tmpdir(), "atelier-keycloak-"));
		const args = [String(port), String(managementPort), this.#folder];
		// A group of its own, because a shell starts the server.
		this.#process = spawn(testProgram("keycloak"), args, { stdio: "ignore", detached: true });
	}

	static async start(): Promise<KeycloakServer> {
		const server = new KeycloakServer(await freePort(), await freePort());
		const isReady = async () => (await fetch(`${server.issuer}/.well-known/openid-configuration`)).status === 200;
		try {
			await eventually(isReady, { withinMs: readyWithinMs, what: "Keycloak answers" });
			return server;
		} catch (error) {
			await server[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Asks the token endpoint. */
	async tokens(parameters: Record<string, string>): Promise<KeycloakTokens> {
		const body = new URLSearchParams(parameters);
		const answer = await fetch(`${this.issuer}/protocol/openid-connect/token`, { method: "POST", body });
		return (await answer.json()) as KeycloakTokens;
	}

	/** Logs somebody of the realm in. */
	login(name: string): Promise<KeycloakTokens> {
		const client = { client_id: "atelier", client_secret: "s-atelier" };
		return this.tokens({ ...client, grant_type: "password", username: name, password: `pw-${name}`, scope: "openid" });
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
