/**
 * Reads a folder of a session when the platform is not root: a short container of the sessions' image does it and writes what it
 * has read to a socket. It has no network and may write nothing: both of its folders are mounted read-only, so of the rights over files
 * only the one to enter every folder is of use to it. It cannot open files by their number, which `DAC_READ_SEARCH` would allow.
 */
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { basename, join } from "node:path";
import { machineTime, nextTurn } from "#shared/base/clock.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { listen } from "#shared/net/sockets/listen.ts";
import { readPlaces, readToEnd } from "#shared/wire/pod/read-places.ts";
import { entriesOf, removeWhole, unlessMissing } from "../../machine/folder-entries.ts";
import { confinement } from "../container-request.ts";
import type { HeldContainer, ShortContainers } from "./short-containers.ts";

/** The memory has the names of all folders that are open at a time. */
const limits = { memoryBytes: 1_073_741_824, nanoCpus: 1e9, processes: 64, temporaryBytes: 1_048_576 };
const { Tmpfs: _none, ...readConfinement } = confinement({ limits, user: 0 });
/** The form of the command, which the filter of an engine knows (cli/engine-filter). */
const command = ["node", "agent/read-folder.ts"];
/** The time until the container has connected, and of the longest silence, in milliseconds. */
const connectMs = 60_000;
const silenceMs = 120_000;
/** The age at which nobody connects to a socket any more, in milliseconds: its container has connected, or was given up. */
const unusedMs = 300_000;
/** The longest line, which has a part of a file (shared/base/files/file-entry.ts), and the bytes of all lines. */
const maxLineBytes = 524_288;
const maxBytes = 128 * 2 ** 30;

/** The parts that a reader works with. */
export interface FolderReaderDependencies {
	readonly short: ShortContainers;
	/** The image of sessions, which has the program. */
	readonly image: string;
	/** The folder for its sockets, which only the platform can write. */
	readonly place: string;
}

export class FolderReader {
	readonly #dependencies: FolderReaderDependencies;

	constructor(dependencies: FolderReaderDependencies) {
		this.#dependencies = dependencies;
	}

	/** Removes the sockets of readings whose process was killed. */
	async removeLeft(): Promise<void> {
		for await (const { path } of entriesOf(this.#dependencies.place)) {
			const found = await lstat(path).catch(unlessMissing);
			// One from the future was made before the clock was set back.
			if (found && Math.abs(machineTime() - found.mtimeMs) > unusedMs) await removeWhole(path);
		}
	}

	/**
	 * Resolves to the entries, which are to be read to their end or given up. Their iteration throws when they break off.
	 * @param folder Absolute; no session can replace it. @throws {Error} when nothing can be read.
	 */
	async read(folder: string): Promise<AsyncIterable<unknown>> {
		await this.removeLeft();
		await using opening = new AsyncDisposableStack();
		const place = join(this.#dependencies.place, randomBytes(16).toString("hex"));
		opening.defer(() => rm(place, { recursive: true, force: true }));
		const server = await listening(place, opening);
		const container = opening.use(await this.#start(folder, place));
		const connection = await connected(server, container);
		opening.defer(() => void connection.destroy());
		return entriesFrom(connection, container, opening.move());
	}

	#start(folder: string, place: string): Promise<HeldContainer> {
		const { short, image } = this.#dependencies;
		const request = {
			Image: image,
			User: "0:0",
			Entrypoint: [],
			Cmd: command,
			HostConfig: {
				...readConfinement,
				CapAdd: ["DAC_OVERRIDE"],
				Mounts: [mounted(folder, readPlaces.folder), mounted(place, readPlaces.platform)],
			},
		};
		return short.hold({ kind: "helper", task: "read", request });
	}
}

function mounted(Source: string, Target: string): object {
	return { Type: "bind", Source, Target, ReadOnly: true };
}

/** Makes the folder with a socket in it. The folder above is closed; root of the container may be another user here. */
async function listening(place: string, closing: AsyncDisposableStack): Promise<Server> {
	await mkdir(place, { recursive: true, mode: 0o700 });
	await chmod(place, 0o755);
	const folder = await UntrustedFolder.open(place);
	if (!folder) throw new Error(`"${place}" was removed meanwhile`);
	closing.use(folder);
	const server = createServer();
	server.maxConnections = 1;
	closing.defer(() => void server.close());
	// The path of a Unix socket has at most 107 bytes, and that of a data folder any number.
	const socket = folder.path(basename(readPlaces.socket));
	await listen(server, { path: socket });
	await chmod(socket, 0o666);
	return server;
}

/** Resolves to the connection of the container, which may have read a small folder and ended by then. */
async function connected(server: Server, container: HeldContainer): Promise<Socket> {
	const waiting = new AbortController();
	let first: Socket | undefined;
	const begun = new Promise<void>((resolve) => {
		server.once("connection", (connection) => {
			first = connection;
			resolve();
		});
	});
	try {
		await Promise.race([begun, container.ended(connectMs, waiting.signal)]);
		await nextTurn();
	} finally {
		waiting.abort();
	}
	if (first) return first;
	throw new Error(
		`A container that reads files has not begun; build the image of sessions of this release, if it is another one: ${await container.lastWords()}`,
	);
}

/** @param closing Ends all that belongs to the reading. */
async function* entriesFrom(
	connection: Socket,
	container: HeldContainer,
	closing: AsyncDisposableStack,
): AsyncGenerator<unknown> {
	await using _closing = closing;
	connection.setTimeout(silenceMs, () => connection.destroy(new Error("its reader was silent for too long")));
	for await (const line of linesIn(connection)) {
		if (line === readToEnd) return;
		yield JSON.parse(line);
	}
	throw new Error(`its reader has ended too early: ${await container.lastWords()}`);
}

async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
	let parts: Buffer[] = [];
	let length = 0;
	let total = 0;
	for await (const chunk of chunks) {
		total += chunk.length;
		let from = 0;
		for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
			yield Buffer.concat([...parts, chunk.subarray(from, to)]).toString("utf8");
			[parts, length, from] = [[], 0, to + 1];
		}
		parts.push(chunk.subarray(from));
		length += chunk.length - from;
		if (length > maxLineBytes || total > maxBytes) throw new Error("its reader sends too much");
	}
}
