/**
 * Finds the user whose program is at the other end of a connection within this machine, in the kernel's tables of
 * connections (proc(5), `/proc/net/tcp` and `tcp6`; Linux only).
 */
import { type FileHandle, open } from "node:fs/promises";
import { GatheredWork } from "#shared/base/concurrency/gathered-work.ts";
import { connectionRows, type Ends } from "../http/connection-rows.ts";

/**
 * The most readings of a table per request: a table is no snapshot, and a row may be skipped when others change during
 * a reading.
 */
const maxLooks = 3;
/** The most bytes of a table, enough for 400,000 connections. */
const maxTableBytes = 64 * 1024 * 1024;
/** The kernel returns a page of the table at a time. */
const chunkBytes = 16 * 1024;

/** Looks up owners of connections. It holds no files open between look-ups. */
export class PeerOwners {
	readonly #tables: readonly string[];
	/** Answers for the possible beginnings of the row of each connection. */
	readonly #readings = new GatheredWork<readonly string[], number | undefined>((_tables, connections) =>
		this.#read(connections),
	);

	constructor(tables: readonly string[] = ["/proc/net/tcp", "/proc/net/tcp6"]) {
		this.#tables = tables;
	}

	/**
	 * Returns the id of the user who owns the peer's socket; undefined when an end is not on loopback, or the socket
	 * has no owner any more. Calls during a reading of the table are answered from the next reading.
	 * @throws {Error} when the table does not exist or is too large.
	 */
	async find(connection: Ends): Promise<number | undefined> {
		const rows = connectionRows(connection);
		for (let look = 0; look < maxLooks && rows.length > 0; look++) {
			const uid = await this.#readings.run("", rows);
			if (uid !== undefined) return uid;
		}
		return undefined;
	}

	async #read(connections: readonly (readonly string[])[]): Promise<(number | undefined)[]> {
		const owners = await this.#owners(connections);
		return connections.map((rows) => rows.map((row) => owners.get(row)).find(isKnown));
	}

	async #owners(connections: readonly (readonly string[])[]): Promise<Map<string, number>> {
		const wanted = new Set(connections.flat());
		const owners = new Map<string, number>();
		for (const table of this.#tables) {
			await using file = await open(table);
			for await (const line of linesOf(file)) {
				const start = line.indexOf(": ") + 2;
				const row = line.slice(start, line.indexOf(" ", line.indexOf(" ", start) + 1));
				const uid = wanted.has(row) ? ownerIn(line) : undefined;
				if (uid !== undefined) owners.set(row, uid);
			}
			if (owners.size === connections.length) break;
		}
		return owners;
	}
}

/** Yields the lines of a table. @throws {RangeError} when it is too large. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
	const chunk = Buffer.allocUnsafe(chunkBytes);
	let rest = "";
	let bytes = 0;
	for (;;) {
		const { bytesRead } = await file.read(chunk, 0, chunkBytes, null);
		if (bytesRead === 0) return;
		bytes += bytesRead;
		if (bytes > maxTableBytes) throw new RangeError("There are too many connections to look through");
		const lines = (rest + chunk.toString("latin1", 0, bytesRead)).split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
}

/**
 * Returns the owner in a row; undefined for a socket without a program: the kernel shows it as owned by root, with
 * inode 0, and a caller who sends and closes at once would otherwise count as root.
 */
function ownerIn(line: string): number | undefined {
	const [, , , , , , , uid = "", , inode = "0"] = line.trim().split(/ +/);
	return inode === "0" || !/^\d+$/.test(uid) ? undefined : Number(uid);
}

function isKnown(uid: number | undefined): uid is number {
	return uid !== undefined;
}
