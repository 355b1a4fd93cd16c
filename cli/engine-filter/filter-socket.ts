/** Makes the socket of a filter with its rights. Whoever may use it can start containers of the platform. */
import { chmodSync, chownSync, lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { listen } from "#shared/net/sockets/listen.ts";
import { hasListener } from "#shared/net/sockets/unix-listener.ts";

/** The rights of a socket. */
export interface SocketRights {
	/** `0o600` or `0o660`. */
	readonly mode: number;
	/** The group; undefined: that of this process. */
	readonly group: number | undefined;
}

/** @throws {Error} when the path cannot be used: another filter listens there, or it is no socket. */
export async function listenAt(server: Server, path: string, { mode, group }: SocketRights): Promise<void> {
	await removeLeft(path);
	// Nobody may connect before the rights of the socket are set.
	const before = process.umask(0o177);
	await listen(server, { path }).finally(() => process.umask(before));
	if (group !== undefined) chownSync(path, -1, group);
	chmodSync(path, mode);
}

/** Removes the socket of a filter that was killed. */
async function removeLeft(path: string): Promise<void> {
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (!found) return;
	if (!found.isSocket()) throw new Error(`Cannot listen at "${path}": it is no socket, and is not removed`);
	if (await hasListener(path)) throw new Error(`Cannot listen at "${path}": another program does`);
	rmSync(path, { force: true });
}
