/** Reads the embedded store of another process, or of none. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { now } from "#shared/base/clock.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import type { StoreSnapshot } from "../port/lifecycle.ts";
import { type CopyAnswer, socketName } from "./embedded-copies.ts";
import { damageOf, refuseDamaged } from "./embedded-damage.ts";
import { fileName } from "./embedded-database.ts";
import { EmbeddedSnapshot } from "./embedded-snapshot.ts";
import { codes, resultCode } from "./result-code.ts";

/** The bound of an answer: a path, or a sentence. */
const maxAnswer = 10_000;

/**
 * Returns a snapshot of the file in this folder, which this process has not opened. While another process has it, that
 * process makes a copy; otherwise the file is locked until the snapshot is closed.
 * @throws {ConflictError} when there is no file, or its process makes no copy; {UnavailableError} when the file is damaged.
 */
export async function snapshotOfFolder(folder: string): Promise<StoreSnapshot> {
	const path = join(folder, fileName);
	if (!existsSync(path)) throw new ConflictError(`There is no store in "${folder}"`, "STORE_MISSING");
	const since = now();
	const database = lockedFile(path);
	if (database) return wholeSnapshot(database, path, new EmbeddedSnapshot(database, since, async () => {}));
	const copy = await copyFromOwner(folder);
	const copied = new DatabaseSync(copy.path, { readOnly: true });
	return wholeSnapshot(copied, path, new EmbeddedSnapshot(copied, since, () => copy.release()));
}

/** @param path The file of the store, for the sentence. @throws {UnavailableError} when it is damaged. */
async function wholeSnapshot(
	database: DatabaseSync,
	path: string,
	snapshot: EmbeddedSnapshot,
): Promise<EmbeddedSnapshot> {
	try {
		refuseDamaged(database, path);
		return snapshot;
	} catch (error) {
		await snapshot.close();
		throw error;
	}
}

/** Opens the file alone; undefined when another process has it. */
function lockedFile(path: string): DatabaseSync | undefined {
	const database = new DatabaseSync(path);
	try {
		database.exec("PRAGMA locking_mode = EXCLUSIVE");
		database.exec("BEGIN IMMEDIATE");
		return database;
	} catch (error) {
		database.close();
		if (resultCode(error) === codes.busy) return undefined;
		throw damageOf(error, path) ?? error;
	}
}

/** A copy that another process has made. */
interface ForeignCopy {
	readonly path: string;
	/** Lets the other process remove it. */
	release(): Promise<void>;
}

/** Asks the process that has opened the store for a copy. @throws {ConflictError} when it makes none. */
async function copyFromOwner(folder: string): Promise<ForeignCopy> {
	await using place = await UntrustedFolder.open(folder);
	// This connection stays on the machine: it ends at a file in the data folder.
	const socket = new Socket();
	try {
		socket.connect(place?.path(socketName) ?? "");
		await once(socket, "connect");
	} catch {
		socket.destroy();
		throw refused(folder, "it has ended meanwhile");
	}
	const answer = await answerOf(socket);
	if (answer !== undefined && "copy" in answer) {
		return { path: answer.copy, release: async () => void socket.destroy() };
	}
	socket.destroy();
	throw refused(folder, answer?.refusal ?? "it has ended meanwhile");
}

/** Returns the first line; undefined when the connection ends before. */
async function answerOf(socket: Socket): Promise<CopyAnswer | undefined> {
	let text = "";
	const line = Promise.withResolvers<CopyAnswer | undefined>();
	socket.on("data", (chunk: Buffer) => {
		text += chunk.toString("utf8");
		if (text.includes("\n")) line.resolve(JSON.parse(text));
		else if (text.length > maxAnswer) line.resolve(undefined);
	});
	socket.on("error", () => line.resolve(undefined));
	socket.on("close", () => line.resolve(undefined));
	return line.promise;
}

function refused(folder: string, why: string): ConflictError {
	return new ConflictError(
		`The platform that runs on "${folder}" makes no copy of its store (${why}); try again, or stop it first`,
		"STORE_IN_USE",
	);
}
