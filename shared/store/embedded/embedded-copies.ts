/**
 * Copies of the embedded store for other processes of the same user. SQLite's lock keeps them from the file, so they ask
 * the process that has it, at a socket in its folder. A copy is removed when the connection that asked for it ends.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm, unlink } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { now } from "#shared/base/clock.ts";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import type { StoreSnapshot } from "../port/lifecycle.ts";
import { type EmbeddedDatabase, fileName } from "./embedded-database.ts";
import { snapshotOfCopy } from "./embedded-snapshot.ts";

/** The name of the socket in the folder of the store. */
export const socketName = "copies.sock";
const copiesName = "copies";

/** The answer to a connection: where the copy is, or why there is none. */
export type CopyAnswer = { readonly copy: string } | { readonly refusal: string };

/** The copies of one open database. The store that made it closes it before the database. */
export class EmbeddedCopies {
	readonly #database: EmbeddedDatabase;
	readonly #folder: string;
	readonly #underWay = new Set<Promise<unknown>>();
	readonly #callers = new Set<Socket>();
	#server: Server | undefined;
	/** The folder is open, because the path of a socket has at most 107 bytes. */
	#place: UntrustedFolder | undefined;

	constructor(database: EmbeddedDatabase, folder: string) {
		this.#database = database;
		this.#folder = folder;
	}

	/** Removes what an earlier process has left, and hears other processes from now on. */
	async listen(): Promise<void> {
		await rm(join(this.#folder, copiesName), { recursive: true, force: true });
		await unlink(join(this.#folder, socketName)).catch(() => {});
		this.#place = await UntrustedFolder.open(this.#folder);
		if (!this.#place) return;
		const server = createServer((caller) => this.#serve(caller));
		// A file system without sockets is no reason not to start: only other processes miss the copies.
		server.on("error", () => {});
		server.listen(this.#place.path(socketName));
		server.unref();
		this.#server = server;
	}

	async snapshot(): Promise<StoreSnapshot> {
		const since = now();
		return snapshotOfCopy(await this.#copy(), since);
	}

	/** Ends when no copy is being made. */
	async close(): Promise<void> {
		const server = this.#server;
		if (server?.listening) {
			const closed = once(server, "close");
			server.close();
			for (const caller of this.#callers) caller.destroy();
			await closed;
		}
		await Promise.allSettled(this.#underWay);
		await this.#place?.[Symbol.asyncDispose]();
	}

	/** Makes a copy in a folder of its own, and returns its path. */
	async #copy(): Promise<string> {
		const folder = join(this.#folder, copiesName, randomUUID());
		makeFolder(folder);
		const path = join(folder, fileName);
		const copying = this.#database.copyTo(path);
		this.#underWay.add(copying);
		try {
			await copying;
			return path;
		} catch (error) {
			await rm(folder, { recursive: true, force: true });
			throw error;
		} finally {
			this.#underWay.delete(copying);
		}
	}

	#serve(caller: Socket): void {
		if (this.#callers.size > 0) return refuse(caller, "another backup is being made");
		this.#callers.add(caller);
		let copy: string | undefined;
		const discard = () => (copy === undefined ? undefined : rm(join(copy, ".."), { recursive: true, force: true }));
		caller.on("error", () => caller.destroy());
		caller.on("close", () => {
			this.#callers.delete(caller);
			void discard()?.catch(() => {});
		});
		caller.resume();
		this.#copy().then(
			(path) => {
				copy = path;
				if (caller.destroyed) void discard()?.catch(() => {});
				else caller.write(`${JSON.stringify({ copy: path } satisfies CopyAnswer)}\n`);
			},
			(error: unknown) => refuse(caller, error instanceof Error ? error.message : String(error)),
		);
	}
}

function refuse(caller: Socket, refusal: string): void {
	caller.on("error", () => caller.destroy());
	caller.end(`${JSON.stringify({ refusal } satisfies CopyAnswer)}\n`);
}
