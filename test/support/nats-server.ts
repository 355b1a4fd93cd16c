/** A real NATS server on a free port of loopback. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

export interface NatsServer extends AsyncDisposable {
	readonly url: string;
}

/** @throws {Error} when `nats-server` is not installed; nothing is skipped in silence. */
export async function startNatsServer(): Promise<NatsServer> {
	const port = await freePort();
	const server = spawn("nats-server", ["--addr", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
	const started = new Promise<never>((_resolve, reject) => {
		server.once("error", (cause) => reject(new Error("Cannot start nats-server: is it installed?", { cause })));
	});
	await Promise.race([started, eventually(() => answers(port), { what: "nats-server listens" })]);
	return {
		url: `nats://127.0.0.1:${port}`,
		async [Symbol.asyncDispose]() {
			if (server.exitCode !== null || server.signalCode !== null) return;
			const ended = once(server, "exit");
			server.kill("SIGKILL");
			await ended;
		},
	};
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
