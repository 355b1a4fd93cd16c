/**
 * Files that a program we do not trust can put something else in the place of: a pipe, a device, a link, a file without
 * an end. Opening one neither waits nor leads elsewhere, and no more is read than there is room for
 * (docs/decisions/0016-files-an-agent-can-touch.md).
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { replaceWith } from "./replaced-file.ts";

const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
/** Without these, opening a pipe waits for its other end, and takes one of the few threads with it. */
const wary = O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;

/** What the system answers when something else than a file that may be used has the name. */
const refusals = new Set(["ELOOP", "ENOTDIR", "EISDIR", "ENXIO", "ENODEV", "EACCES", "EPERM", "ENAMETOOLONG"]);

const chunkBytes = 1_048_576;

/** What is there is no file for us; it says nothing about the machine. */
export class UntrustedFileError extends Error {
	override readonly name = "UntrustedFileError";
}

/** @throws {UntrustedFileError} for what is no regular file, or may not be opened. */
export async function openUntrusted(path: string, flags: number, mode = 0o600): Promise<FileHandle> {
	return (await opened(path, flags, mode)).file;
}

/** The whole file; undefined when there is none. @throws {UntrustedFileError} also when it has more bytes. */
export async function readUntrusted(path: string, maxBytes: number): Promise<Buffer | undefined> {
	const source = await opened(path, O_RDONLY).catch(unlessMissing);
	if (!source) return undefined;
	try {
		return await readOpened(source, path, maxBytes);
	} finally {
		await source.file.close();
	}
}

/** As {@link readUntrusted}, from a file that was opened so. */
export async function readFrom(file: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
	return readOpened({ file, found: await file.stat() }, path, maxBytes);
}

async function readOpened({ file, found: { size } }: Opened, path: string, maxBytes: number): Promise<Buffer> {
	if (size > maxBytes) throw tooLong(path, maxBytes);
	// One more than it has: a read that is not filled has met the end.
	const buffer = Buffer.allocUnsafe(size + 1);
	let length = 0;
	for (;;) {
		const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
		length += bytesRead;
		if (length > maxBytes) throw tooLong(path, maxBytes);
		// What was added since is not waited for.
		if (bytesRead === 0 || length >= size) return buffer.subarray(0, length);
	}
}

/**
 * Copies the file to another name, whole or not at all. Returns its time of modification in milliseconds since 1970;
 * undefined when there is none.
 * @throws {UntrustedFileError} also when it has more bytes.
 */
export async function copyUntrusted(from: string, to: string, maxBytes: number): Promise<number | undefined> {
	const source = await opened(from, O_RDONLY).catch(unlessMissing);
	if (!source) return undefined;
	const { file, found } = source;
	try {
		const { size, mtimeMs } = found;
		if (size > maxBytes) throw tooLong(from, maxBytes);
		await replaceWith(to, (target) => pipe(file, target, size));
		return mtimeMs;
	} finally {
		await file.close();
	}
}

/** Empties a file that has more bytes; nothing happens to anything else. */
export async function trimUntrusted(path: string, maxBytes: number): Promise<void> {
	const found = await lstat(path).catch(() => undefined);
	if (!found?.isFile() || found.size <= maxBytes) return;
	const file = await openUntrusted(path, O_WRONLY).catch(() => undefined);
	try {
		await file?.truncate(0);
	} finally {
		await file?.close();
	}
}

interface Opened {
	readonly file: FileHandle;
	/** What it was when it was opened. */
	readonly found: Stats;
}

async function opened(path: string, flags: number, mode?: number): Promise<Opened> {
	const file = await open(path, flags | wary, mode).catch((error: unknown) => refused(path, error));
	try {
		const found = await file.stat();
		if (found.isFile()) return { file, found };
		throw new UntrustedFileError(`"${path}" is not a regular file`);
	} catch (error) {
		await file.close();
		throw error;
	}
}

async function pipe(source: FileHandle, target: FileHandle, size: number): Promise<void> {
	const buffer = Buffer.allocUnsafe(Math.min(size, chunkBytes));
	for (let at = 0; at < size; ) {
		const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, size - at), at);
		if (bytesRead === 0) return;
		await target.writeFile(buffer.subarray(0, bytesRead));
		at += bytesRead;
	}
}

function refused(path: string, cause: unknown): never {
	const { code } = cause as NodeJS.ErrnoException;
	if (code === undefined || !refusals.has(code)) throw cause;
	throw new UntrustedFileError(`"${path}" is not a file that can be used (${code})`, { cause });
}

function tooLong(path: string, maxBytes: number): UntrustedFileError {
	return new UntrustedFileError(`"${path}" has more than ${maxBytes} bytes`);
}

function unlessMissing(error: unknown): undefined {
	if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
