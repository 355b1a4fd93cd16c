/**
 * A TCP proxy of the test's own, to stand between a process and a server: it passes bytes, holds them back, swallows
 * them, delays them, cuts an answer, or refuses connections. Each change holds for existing and new connections.
 */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** `up` is from the client to the server. */
export type Direction = "up" | "down";

const bothWays: readonly Direction[] = ["up", "down"];

export interface TcpProxyOptions {
	/** Changes what the server says, e.g. addresses that lead around the proxy. */
	readonly translate?: (bytes: Buffer) => Buffer;
	/** The port to listen on; default: a free one. */
	readonly port?: number;
}

/** One connection through the proxy. */
class Link {
	readonly client: Socket;
	readonly server: Socket;
	/** The directions in which bytes were swallowed. A stream with a hole is of no use, so nothing follows there. */
	readonly lost = new Set<Direction>();

	constructor(client: Socket, server: Socket) {
		this.client = client;
		this.server = server;
	}

	/** Ends both sides with a reset. */
	reset(): void {
		this.client.resetAndDestroy();
		this.server.resetAndDestroy();
	}
}

export class TcpProxy implements AsyncDisposable {
	readonly #targetPort: number;
	readonly #translate: (bytes: Buffer) => Buffer;
	readonly #server: Server;
	readonly #links = new Set<Link>();
	/** The directions that are held back, and who waits for the end of that. */
	readonly #held = new Map<Direction, PromiseWithResolvers<void>>();
	readonly #swallowed = new Set<Direction>();
	#delayMs = 0;
	#refuses = false;
	/** The bytes of answers until the next cut. */
	#untilCut = Number.POSITIVE_INFINITY;
	/** The number of connections that `cutAfter` has cut. */
	cuts = 0;
	/** The number of pieces that were swallowed. */
	lost = 0;
	/** The bytes that arrived while their direction was held back. */
	heldBytes = 0;

	private constructor(targetPort: number, { translate = (bytes) => bytes }: TcpProxyOptions) {
		this.#targetPort = targetPort;
		this.#translate = translate;
		this.#server = createServer({ noDelay: true }, (client) => this.#accept(client));
	}

	/** Listens on loopback before a server on loopback. @param targetPort The server's port. */
	static async listen(targetPort: number, options: TcpProxyOptions = {}): Promise<TcpProxy> {
		const proxy = new TcpProxy(targetPort, options);
		proxy.#server.listen(options.port ?? 0, "127.0.0.1");
		await once(proxy.#server, "listening");
		return proxy;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	/** The number of open connections. */
	get connections(): number {
		return this.#links.size;
	}

	/** Passes everything from now on, what was held back first. Connections that lost bytes end. */
	pass(): void {
		this.#refuses = false;
		this.#delayMs = 0;
		this.#untilCut = Number.POSITIVE_INFINITY;
		this.#swallowed.clear();
		for (const link of this.#links) if (link.lost.size > 0) link.reset();
		for (const { resolve } of this.#held.values()) resolve();
		this.#held.clear();
	}

	/** Ends all connections; new ones end at once, as if nobody listened. */
	refuse(): void {
		this.#refuses = true;
		this.reset();
	}

	/** Ends all connections with a reset; new ones are served. */
	reset(): void {
		for (const link of this.#links) link.reset();
	}

	/** Holds bytes back like a network that sends them again until it is whole: they arrive late. */
	hold(directions: readonly Direction[] = bothWays): void {
		for (const direction of directions)
			if (!this.#held.has(direction)) this.#held.set(direction, Promise.withResolvers());
	}

	/** Swallows bytes without a word; connections stay open until `pass`. */
	swallow(directions: readonly Direction[] = bothWays): void {
		for (const direction of directions) this.#swallowed.add(direction);
	}

	/** Delays every piece in both directions. */
	delay(ms: number): void {
		this.#delayMs = ms;
	}

	/** Passes so many further bytes of answers and then ends the connection; once. */
	cutAfter(bytes: number): void {
		this.#untilCut = bytes;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const closed = once(this.#server, "close");
		this.#server.close();
		this.refuse();
		this.pass();
		await closed;
	}

	#accept(client: Socket): void {
		// The other side may end at any time; the pieces of a connection that has ended go nowhere.
		client.on("error", () => client.destroy());
		if (this.#refuses) return void client.resetAndDestroy();
		const server = connect({ port: this.#targetPort, host: "127.0.0.1", noDelay: true });
		const link = new Link(client, server);
		server.on("error", () => client.resetAndDestroy());
		this.#links.add(link);
		for (const socket of [client, server])
			socket.on("close", () => {
				this.#links.delete(link);
				client.destroy();
				server.destroy();
			});
		void this.#carry(link, "up");
		void this.#carry(link, "down");
	}

	async #carry(link: Link, direction: Direction): Promise<void> {
		const [from, to] = direction === "up" ? [link.client, link.server] : [link.server, link.client];
		try {
			for await (const piece of from) await this.#pass(link, direction, piece as Buffer);
			to.end();
		} catch {
			// A side has failed, and its close ends the other one.
		}
	}

	async #pass(link: Link, direction: Direction, piece: Buffer): Promise<void> {
		if (this.#delayMs > 0) await sleep(this.#delayMs);
		const held = this.#held.get(direction);
		if (held) this.heldBytes += piece.length;
		await held?.promise;
		if (this.#swallowed.has(direction)) link.lost.add(direction);
		if (link.lost.has(direction)) return void this.lost++;
		if (direction === "up") return written(link.server, piece);
		const bytes = this.#translate(piece);
		if (bytes.length < this.#untilCut) {
			this.#untilCut -= bytes.length;
			return written(link.client, bytes);
		}
		const left = this.#untilCut;
		this.#untilCut = Number.POSITIVE_INFINITY;
		this.cuts++;
		await written(link.client, bytes.subarray(0, left));
		link.reset();
	}
}

/** Resolves when the bytes are sent, or the socket has ended. */
function written(socket: Socket, bytes: Buffer): Promise<void> {
	return new Promise((resolve) => {
		socket.write(bytes, () => resolve());
	});
}
