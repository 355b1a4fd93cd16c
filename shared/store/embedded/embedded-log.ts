/**
 * The log of the embedded store's file, in which SQLite puts commits (its write-ahead log). It is synced here and not by
 * SQLite, whose sync would stop the event loop for as long as the disk takes.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";

export class EmbeddedLog {
	readonly #descriptor: number;

	/**
	 * Opens the log, whose entry in its folder is durable from then on. No locks are lost by that: SQLite has them on the database.
	 * @param path The path of the database, which is open.
	 */
	constructor(path: string) {
		this.#descriptor = openSync(`${path}-wal`, "r+");
		const folder = openSync(dirname(path), "r");
		try {
			fsyncSync(folder);
		} finally {
			closeSync(folder);
		}
	}

	/** Resolves when everything that was written before the call is on the disk. @throws {Error} when the disk fails. */
	sync(): Promise<void> {
		thread ??= new SyncThread();
		return thread.sync(this.#descriptor);
	}

	close(): void {
		closeSync(this.#descriptor);
	}
}

/**
 * The thread of all stores of this process, which ends with it. Node's own threads for files are four: calls of other code that wait for a
 * slow or a lost disk could occupy all of them.
 */
let thread: SyncThread | undefined;

class SyncThread {
	readonly #worker = new Worker(new URL("./sync-thread.ts", import.meta.url));
	/** The syncs whose outcome is not known, in the order of their requests, which is that of the answers. */
	readonly #waiting: PromiseWithResolvers<void>[] = [];

	constructor() {
		this.#worker.unref();
		this.#worker.on("message", (error?: Error) => this.#answer(error));
		this.#worker.on("error", (error) => this.#end(error));
		this.#worker.on("exit", () => this.#end(new Error("The thread that syncs has ended")));
	}

	sync(descriptor: number): Promise<void> {
		const sync = Promise.withResolvers<void>();
		if (this.#waiting.push(sync) === 1) this.#worker.ref();
		this.#worker.postMessage(descriptor);
		return sync.promise;
	}

	#answer(error: Error | undefined): void {
		const sync = this.#waiting.shift();
		if (this.#waiting.length === 0) this.#worker.unref();
		if (error) sync?.reject(error);
		else sync?.resolve();
	}

	/** Nobody knows what became of the syncs that wait. */
	#end(error: unknown): void {
		if (thread === this) thread = undefined;
		for (const sync of this.#waiting.splice(0)) sync.reject(error);
	}
}
