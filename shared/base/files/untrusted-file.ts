/**
 * Reads and writes files that an untrusted program can replace by something else: a pipe, a device, a link, an endless
 * file. Opening a file neither blocks nor follows links, and no more is read than the given bound
 * (docs/decisions/0016-files-an-agent-can-touch.md).
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { replaceWith } from "./replaced-file.ts";

const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
/** Flags without which opening a pipe would wait for its other end and block one of the few threads of the pool. */
const wary = O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;

/** The system's error codes for names that are no usable file. */
const refusals = new Set(["ELOOP", "ENOTDIR", "EISDIR", "ENXIO", "ENODEV", "EACCES", "EPERM", "ENAMETOOLONG"]);

const chunkBytes = 1_048_576;

/** The name does not belong to a file that may be used; this says nothing about the state of the machine. */
export class UntrustedFileError extends Error {
	override readonly name = "UntrustedFileError";
}

/**
 * Opens a regular file; the caller closes it. @throws {UntrustedFileError} when it is no regular file or may not be
 * opened.
 */
export async function openUntrusted(path: string, flags: number, mode = 0o600): Promise<FileHandle> {
	return (await opened(path, flags, mode)).file;
}

/**
 * Returns the content of the file; undefined when there is none. @throws {UntrustedFileError} also when it has more
 * than `maxBytes`.
 */
export async function readUntrusted(path: string, maxBytes: number): Promise<Buffer | undefined> {
	const source = await opened(path, O_RDONLY).catch(unlessMissing);
	if (!source) return undefined;
	try {
		return await readOpened(source, path, maxBytes);
	} finally {
		await source.file.close();
	}
}

/** Returns the last bytes of the file, at most so many; undefined when there is none. @throws {UntrustedFileError} */
export async function readUntrustedEnd(path: string, maxBytes: number): Promise<Buffer | undefined> {
	const source = await opened(path, O_RDONLY).catch(unlessMissing);
	if (!source) return undefined;
	try {
		const { size } = source.found;
		const buffer = Buffer.alloc(Math.min(size, maxBytes));
		const { bytesRead } = await source.file.read(buffer, 0, buffer.length, size - buffer.length);
		return buffer.subarray(0, bytesRead);
	} finally {
		await source.file.close();
	}
}

/** Reads like {@link readUntrusted} from a file that {@link openUntrusted} opened. */
export async function readFrom(file: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
	return readOpened({ file, found: await file.stat() }, path, maxBytes);
}

async function readOpened({ file, found: { size } }: Opened, path: string, maxBytes: number): Promise<Buffer> {
	if (size > maxBytes) throw tooLong(path, maxBytes);
	// The buffer has one byte more than the file: a read that does not fill it has reached the end.
	const buffer = Buffer.allocUnsafe(size + 1);
	let length = 0;
	for (;;) {
		const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
		length += bytesRead;
		if (length > maxBytes) throw tooLong(path, maxBytes);
		// Bytes that were added after the file was opened are ignored.
		if (bytesRead === 0 || length >= size) return buffer.subarray(0, length);
	}
}

/**
 * Copies the file to another name, completely or not at all. Returns its time of modification in milliseconds since
 * 1970; undefined when there is no such file.
 * @throws {UntrustedFileError} also when it has more than `maxBytes`.
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

/** Empties a regular file that has more than `maxBytes`; does nothing in all other cases. */
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
	/** The status of the file when it was opened. */
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
