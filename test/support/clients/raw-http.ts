/** Sends HTTP as bytes, for requests that no client library would send. */
import { connect, type Socket } from "node:net";
import { once } from "node:events";

export interface RawAnswer {
	readonly status: number;
	/** The headers by their lower-case names. */
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
}

/** Sends one request unchanged and reads one answer. @throws {Error} when the connection ends without one. */
export async function sendRaw(port: number, request: string | Buffer): Promise<RawAnswer> {
	const connection = await RawConnection.open(port);
	try {
		connection.write(request);
		return await connection.answer();
	} finally {
		connection.close();
	}
}

/** Makes a request with exactly these headers. */
export function rawRequest(line: string, headers: Readonly<Record<string, string>> = {}, body = ""): string {
	const all = { ...headers, ...(body !== "" && { "Content-Length": String(Buffer.byteLength(body)) }) };
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
	return [`${line} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

/** A connection that several requests can go over. */
export class RawConnection {
	readonly socket: Socket;
	#received = Buffer.alloc(0);

	private constructor(socket: Socket) {
		this.socket = socket;
		socket.on("data", (chunk: Buffer) => (this.#received = Buffer.concat([this.#received, chunk])));
		// A reset counts as an ordinary end; `answer` reports what is missing.
		socket.on("error", () => {});
	}

	static async open(port: number): Promise<RawConnection> {
		const socket = connect({ port, host: "127.0.0.1" });
		await once(socket, "connect");
		return new RawConnection(socket);
	}

	/** The received text that was not yet read as an answer. */
	get text(): string {
		return this.#received.toString();
	}

	write(bytes: string | Buffer): void {
		this.socket.write(bytes);
	}

	/** Resolves with the next answer, read by its Content-Length. */
	async answer(): Promise<RawAnswer> {
		for (;;) {
			const found = this.#take();
			if (found) return found;
			if (this.socket.closed || this.socket.readableEnded) throw new Error("The connection ended without an answer");
			await this.#happening();
		}
	}

	/** Resolves when the server has closed the connection. */
	async ended(): Promise<void> {
		while (!this.socket.closed) await this.#happening();
	}

	close(): void {
		this.socket.destroy();
	}

	/** Resolves when bytes arrive or the connection ends. */
	async #happening(): Promise<void> {
		await new Promise<void>((resolve) => {
			for (const name of ["data", "end", "close"]) this.socket.once(name, () => resolve());
		});
	}

	#take(): RawAnswer | undefined {
		const headEnd = this.#received.indexOf("\r\n\r\n");
		if (headEnd === -1) return undefined;
		const [line = "", ...lines] = this.#received.subarray(0, headEnd).toString("latin1").split("\r\n");
		const headers = Object.fromEntries(
			lines.map((text) => [text.slice(0, text.indexOf(":")).toLowerCase(), text.slice(text.indexOf(":") + 1).trim()]),
		);
		const bodyEnd = headEnd + 4 + Number(headers["content-length"] ?? 0);
		if (this.#received.length < bodyEnd) return undefined;
		const text = this.#received.subarray(headEnd + 4, bodyEnd).toString();
		this.#received = this.#received.subarray(bodyEnd);
		return { status: Number(line.split(" ")[1]), headers, text };
	}
}
