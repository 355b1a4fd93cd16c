/** A real NATS server on a free port of loopback. Needs: nats-server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { testProgram } from "../machine/test-program.ts";
import { processFile } from "../machine/process-file.ts";

/** A user that a server admits; without users it admits everybody. */
export interface NatsUser {
	readonly user: string;
	readonly password: string;
}

export class NatsServer implements AsyncDisposable {
	readonly #port: number;
	#server: ChildProcess | undefined;

	/** Prepares a server that does not run yet. */
	constructor(port: number) {
		this.#port = port;
	}

	get port(): number {
		return this.#port;
	}

	get url(): string {
		return this.urlFor();
	}

	urlFor(user?: NatsUser): string {
		const login = user ? `${user.user}:${user.password}@` : "";
		return `nats://${login}127.0.0.1:${this.#port}`;
	}

	/** Starts the server; resolves when it listens. @throws {Error} when `nats-server` is not installed. */
	start(only?: NatsUser): Promise<void> {
		return this.startWith(only ? ["--user", only.user, "--pass", only.password] : []);
	}

	/** Starts the server with further arguments, e.g. `--config`, and the variables for its configuration. */
	async startWith(more: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
		const listen = ["--addr", "127.0.0.1", "--port", String(this.#port)];
		const server = spawn(testProgram("nats-server"), [...listen, ...more], {
			stdio: "ignore",
			env: { PATH: process.env["PATH"], ...env },
		});
		this.#server = server;
		const started = new Promise<never>((_resolve, reject) => {
			server.once("error", (cause) => reject(new Error("Cannot start nats-server: is it installed?", { cause })));
		});
		const listens = eventually(() => answers(this.#port), { withinMs: 20_000, what: "nats-server listens" });
		await Promise.race([started, listens]);
	}

	/** Makes the server read its configuration again; its connections stay. */
	reload(): void {
		this.#server?.kill("SIGHUP");
	}

	/** Kills the server with SIGKILL; it can be started again. */
	async kill(): Promise<void> {
		const server = this.#server;
		if (!server || server.exitCode !== null || server.signalCode !== null) return;
		const ended = once(server, "exit");
		server.kill("SIGKILL");
		await ended;
	}

	/**
	 * Stops the server with SIGSTOP: connections stay, nothing answers. Resolves when every thread has stopped, because
	 * a running thread may still answer.
	 */
	async freeze(): Promise<void> {
		const pid = this.#server?.pid ?? Number.NaN;
		this.#server?.kill("SIGSTOP");
		await eventually(() => readdirSync(`/proc/${pid}/task`).every((thread) => isStopped(Number(thread))), {
			what: "nats-server is stopped",
		});
	}

	/** Continues the server with SIGCONT. */
	thaw(): void {
		this.#server?.kill("SIGCONT");
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.kill();
	}
}

/** Starts a server on a free port. */
export async function startNatsServer(): Promise<NatsServer> {
	const server = new NatsServer(await freePort());
	await server.start();
	return server;
}

/** Whether a thread is stopped; each thread has its own entry in `/proc` (proc(5)). */
function isStopped(thread: number): boolean {
	return /^State:\s+T/m.test(processFile(thread, "status"));
}

async function answers(port: number): Promise<boolean> {
	const socket = connect(port, "127.0.0.1");
	try {
		await once(socket, "connect");
		return true;
	} finally {
		socket.destroy();
	}
}
