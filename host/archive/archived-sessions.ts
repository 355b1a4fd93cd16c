/**
 * Writes the files of sessions into an archive. Those of sessions in containers belong to another user; where this process may not
 * read them, the runtime does (Installation.sessionFiles). Nothing is left out in silence: what cannot be read is named.
 */
import { existsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type FileEntry, fileEntry } from "#shared/base/files/file-entry.ts";
import { type LeftOut, walkFolder } from "#shared/base/files/folder-walk.ts";
import { oneLine } from "#shared/base/one-line.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { ArchiveError } from "./archive-format.ts";
import { writeFiles } from "./archived-files.ts";
import type { ArchiveWriter } from "./archive-writer.ts";
import { type Installation, sessionsFolder, type SessionFiles } from "./installation.ts";
import { FileLoader } from "./restored-files.ts";

/** The folder of what is being removed, and the one of containers that wait for a session. */
const ofNoSession = [".trash", ".warm"];
/** The most folders that a sentence names. */
const maxNamed = 10;
const maxCharacters = 300;
const permissions = 0o777;

/** The folders of sessions as far as the archive has to know them. */
export interface ListedSessions {
	readonly ids: readonly string[];
	/** Those with files of another user, which this process may not read. */
	readonly foreign: ReadonlySet<string>;
}

/**
 * Lists the folders before anything is written.
 * @throws {ArchiveError} when some can be read neither by this process nor by the runtime.
 */
export async function listSessions(place: Installation): Promise<ListedSessions> {
	const root = sessionsFolder(place);
	const names = existsSync(root) ? await readdir(root) : [];
	const ids = names.filter((name) => !ofNoSession.includes(name)).toSorted();
	const foreign = new Set<string>();
	for (const id of ids) if (await hasForeignFiles(join(root, id))) foreign.add(id);
	if (foreign.size > 0 && place.sessionFiles === undefined) throw unreadable(place, foreign);
	return { ids, foreign };
}

/** Adds the files of all sessions to the present section; returns sentences about what is left out. */
export async function writeSessions(
	writer: ArchiveWriter,
	place: Installation,
	{ ids, foreign }: ListedSessions,
): Promise<string[]> {
	const sentences: string[] = [];
	await using opened = foreign.size > 0 ? await openFiles(place, foreign) : undefined;
	for (const id of ids) {
		const folder = join(sessionsFolder(place), id);
		const found = await lstat(folder).catch(() => undefined);
		// A session that was deleted meanwhile has no files.
		if (!found) continue;
		const name = `sessions/${id}`;
		if (!found.isDirectory()) {
			sentences.push(`"${name}", which is no folder`);
			continue;
		}
		await writer.entry({ path: id, kind: "folder", mode: found.mode & permissions } satisfies FileEntry);
		const onCut = (reason: string): void => void sentences.push(`Files of "${name}": ${reason}`);
		const entries =
			opened && foreign.has(id) ? whole(await read(place, opened, id, foreign), onCut) : walkFolder(folder);
		const left = await writeFiles(writer, { name, entries, prefix: `${id}/` });
		if (left !== undefined) sentences.push(left);
	}
	return sentences;
}

async function openFiles(place: Installation, foreign: ReadonlySet<string>): Promise<SessionFiles> {
	try {
		const opened = await place.sessionFiles?.();
		if (opened) return opened;
	} catch (cause) {
		throw unreadable(place, foreign, cause);
	}
	throw unreadable(place, foreign);
}

/** Whether entries of the folder belong to another user. Root reads all of them. */
async function hasForeignFiles(folder: string): Promise<boolean> {
	const user = process.geteuid?.();
	if (user === 0) return false;
	const names = await readdir(folder).catch(() => undefined);
	if (!names) return true;
	for (const name of names) {
		const found = await lstat(join(folder, name)).catch(() => undefined);
		if (found && found.uid !== user) return true;
	}
	return false;
}

/** @throws {ArchiveError} when the runtime cannot read files at all; a mistake of one session is told by its values. */
async function read(
	place: Installation,
	files: SessionFiles,
	id: string,
	foreign: ReadonlySet<string>,
): Promise<AsyncIterable<unknown>> {
	try {
		return await files.read(id);
	} catch (cause) {
		throw unreadable(place, foreign, cause);
	}
}

/** Returns the entries, which somebody else has read. @param onCut Learns why they end before the last one. */
async function* whole(
	values: AsyncIterable<unknown>,
	onCut: (reason: string) => void,
): AsyncGenerator<FileEntry | LeftOut> {
	await using order = new FileLoader();
	try {
		for await (const value of values) {
			const entry = fileEntry(value) ?? leftOut(value);
			if (!entry) throw new ArchiveError("an entry has a form that is not known");
			if (entry.kind !== "left") await order.take(entry);
			yield entry;
		}
	} catch (error) {
		const reason = error instanceof Error ? oneLine(error.message, maxCharacters) : "no reason given";
		onCut(`the last ones could not be read: ${reason}`);
	}
}

function leftOut(value: unknown): LeftOut | undefined {
	if (!isJsonObject(value) || value["kind"] !== "left" || typeof value["path"] !== "string") return undefined;
	return { kind: "left", path: value["path"], isBound: value["isBound"] === true };
}

function unreadable(place: Installation, foreign: ReadonlySet<string>, cause?: unknown): ArchiveError {
	const named = [...foreign].slice(0, maxNamed).map((id) => `"${join(sessionsFolder(place), id)}"`);
	const more = foreign.size > named.length ? ` and ${foreign.size - named.length} more` : "";
	const reason = cause instanceof Error ? `: ${oneLine(cause.message, maxCharacters)}` : "";
	return new ArchiveError(
		`Cannot read the files of these sessions, which belong to another user: ${named.join(", ")}${more}${reason}. Files of sessions in ` +
			"containers are read with the container engine of the configuration (pods.runtime); start it, or leave all files of sessions out (without --workspaces)",
		{ cause },
	);
}
