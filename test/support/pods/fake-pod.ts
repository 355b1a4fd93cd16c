/** A chat server in the place of a pod: it greets, echoes, and can misbehave. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

export class FakePod implements AsyncDisposable {
	url = "";
	/** The behaviour. `silent`: it accepts connections and sends nothing; `busy`: it refuses them. */
	manner: "kind" | "silent" | "busy" = "kind";
	/** The `Authorization` headers of all connections. */
	readonly authorizations: (string | undefined)[] = [];
	readonly sockets = new Set<WebSocket>();
	readonly #raw = new Set<Socket>();
	readonly #server: Server;

	private constructor() {
		const upgrades = new WebSocketServer({ noServer: true });
		this.#server = createServer();
		this.#server.on("connection", (socket) => this.#raw.add(socket));
		this.#server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
			this.authorizations.push(request.headers.authorization);
			// A socket must be read to notice its end.
			if (this.manner === "silent")
				socket
					.on("error", () => {})
					.on("end", () => socket.destroy())
					.resume();
			if (this.manner === "busy") socket.end("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
			if (this.manner === "kind") upgrades.handleUpgrade(request, socket, head, (client) => this.#greet(client));
		});
	}

	/** Starts the server. @param host An address of this machine. */
	static async listen(host = "127.0.0.1"): Promise<FakePod> {
		const pod = new FakePod();
		pod.#server.listen(0, host);
		await once(pod.#server, "listening");
		pod.url = `http://${host}:${(pod.#server.address() as AddressInfo).port}`;
		return pod;
	}

	/** The count of open TCP connections. */
	get connections(): number {
		return [...this.#raw].filter(({ closed }) => !closed).length;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#raw) socket.destroy();
		this.#server.close();
		await once(this.#server, "close");
	}

	#greet(client: WebSocket): void {
		this.sockets.add(client);
		client.once("close", () => this.sockets.delete(client));
		client.on("error", () => {});
		client.on("message", (data: Buffer) => client.send(data.toString()));
		client.send('{"type":"system","content":"fake"}');
	}
}
