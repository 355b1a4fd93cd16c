/**
 * The socket at which the agent of a warm container waits. A byte says that it is loaded; the end of its connection says that it has
 * a session, or that there is no platform any more.
 */
import { chmod, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { listen } from "#shared/net/sockets/listen.ts";
import { hasListener } from "#shared/net/sockets/unix-listener.ts";
import { doorSockets } from "#shared/wire/pod/door/door-sockets.ts";

/** The connections of the agent, and of other processes that ask whether this one lives. */
const maxConnections = 8;

/** Owns one socket. */
export class WarmChannel implements AsyncDisposable {
	readonly #folder: UntrustedFolder;
	readonly #server: Server;
	readonly #clients = new Set<Socket>();
	readonly #loaded = Promise.withResolvers<void>();
	readonly #ended = Promise.withResolvers<void>();

	private constructor(folder: UntrustedFolder) {
		this.#folder = folder;
		this.#server = createServer((client) => this.#take(client));
		this.#server.maxConnections = maxConnections;
	}

	/** @param folder The folder of the platform's sockets, which exists; its name may change later. */
	static async listen(folder: string): Promise<WarmChannel> {
		const opened = await UntrustedFolder.open(folder);
		if (!opened) throw new Error(`There is no folder "${folder}"`);
		const channel = new WarmChannel(opened);
		try {
			await channel.#listen();
			return channel;
		} catch (error) {
			await channel[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** Whether a living process has the channel in this folder. */
	static async isHeld(folder: string): Promise<boolean> {
		await using opened = await UntrustedFolder.open(folder);
		return opened !== undefined && (await hasListener(opened.path(doorSockets.waiting)));
	}

	/** Resolves when the agent is loaded. */
	get loaded(): Promise<void> {
		return this.#loaded.promise;
	}

	/** Resolves when the agent that was loaded has ended, or the channel was closed. */
	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	/** Lets the agent go on. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		for (const client of this.#clients) client.destroy();
		this.#ended.resolve();
		try {
			await rm(this.#path, { force: true });
		} finally {
			await this.#folder[Symbol.asyncDispose]();
		}
	}

	/** The path of a Unix socket has at most 107 bytes, and that of a data folder any number. */
	get #path(): string {
		return this.#folder.path(doorSockets.waiting);
	}

	async #listen(): Promise<void> {
		await listen(this.#server, { path: this.#path });
		// Its folder can be entered by the platform and the container only.
		await chmod(this.#path, 0o666);
	}

	#take(client: Socket): void {
		this.#clients.add(client);
		client.on("error", () => client.destroy());
		client.on("close", () => this.#clients.delete(client));
		client.once("data", () => {
			client.on("close", () => this.#ended.resolve());
			this.#loaded.resolve();
			client.resume();
		});
	}
}
