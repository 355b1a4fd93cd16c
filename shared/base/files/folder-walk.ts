/**
 * Reads the files of a folder in a fixed order. Programs that nobody trusts may have written them, and may change them
 * meanwhile: links are kept as links and never followed, and names, entries and bytes have bounds.
 */
import { constants } from "node:fs";
import { lstat, opendir, readlink } from "node:fs/promises";
import { type FileEntry, isLinkTarget, isPlainPath, partBytes, permissions } from "./file-entry.ts";
import { openUntrusted, UntrustedFileError } from "./untrusted-file.ts";
import { UntrustedFolder } from "./untrusted-folder.ts";

/** The most folders inside each other; each is open while its content is read. */
const maxDepth = 100;
/** The longest path in bytes; the restored one has the name of a session in front of it. */
const maxPathBytes = 2_900;
/** The most names that are in memory at a time: those of the folders that are open. */
const maxNames = 500_000;
const maxEntries = 1_000_000;
/** The most bytes of all files. */
const maxBytes = 64 * 2 ** 30;
/** Files with holes have more bytes than they occupy. All files have at most so many times what they occupy, and these bytes beside. */
const maxHoles = 8;
const freeBytes = 2 ** 30;
const blockBytes = 512;

/** An entry that is left out. The path is empty for the folder itself. */
export interface LeftOut {
	readonly kind: "left";
	readonly path: string;
	/** Whether a bound was reached: then nothing comes after it, or the file was too large. */
	readonly isBound: boolean;
}

/**
 * Returns the entries; a file is followed by its further parts. Those that could not be restored, or not read, are told as left out.
 * @param skips Matches the paths of what is not told at all; absent: nothing is.
 */
export function walkFolder(root: string, skips?: RegExp): AsyncGenerator<FileEntry | LeftOut> {
	return new FolderWalk(skips).walk(root, "", 0);
}

class FolderWalk {
	readonly #skips: RegExp | undefined;
	#names = 0;
	#entries = 0;
	#bytes = 0;
	#occupied = 0;

	constructor(skips: RegExp | undefined) {
		this.#skips = skips;
	}

	async *walk(place: string, path: string, depth: number): AsyncGenerator<FileEntry | LeftOut> {
		if (depth > maxDepth) return yield left(path);
		await using folder = await UntrustedFolder.open(place).catch(unlessRefused);
		const names = folder && (await this.#namesIn(folder.path(".")));
		if (!folder || !names) return yield left(path, folder !== undefined);
		// Names that are no UTF-8 are read as something else, so two of them can be equal.
		const different = new Set(names);
		for (let unread = names.length - different.size; unread > 0; unread--) yield left(`${path}/\ufffd`);
		for (const name of [...different].toSorted()) {
			const below = path === "" ? name : `${path}/${name}`;
			if (!this.#skips?.test(below)) yield* this.#counted(folder.path(name), below, depth);
		}
		this.#names -= names.length;
	}

	/** Returns undefined when there are too many. */
	async #namesIn(place: string): Promise<string[] | undefined> {
		const names: string[] = [];
		for await (const { name } of await opendir(place, { bufferSize: 1_024 })) {
			if (this.#names + names.length >= maxNames) return undefined;
			names.push(name);
		}
		this.#names += names.length;
		return names;
	}

	/** One entry is told for all that come after the last one. */
	async *#counted(place: string, path: string, depth: number): AsyncGenerator<FileEntry | LeftOut> {
		if (this.#entries > maxEntries) return;
		if (this.#entries++ === maxEntries) yield left(path, true);
		else yield* this.#visit(place, path, depth);
	}

	async *#visit(place: string, path: string, depth: number): AsyncGenerator<FileEntry | LeftOut> {
		if (!isPlainPath(path, maxPathBytes)) return yield left(path);
		const found = await lstat(place).catch(() => undefined);
		const mode = (found?.mode ?? 0) & permissions;
		if (found?.isDirectory()) {
			yield { path, kind: "folder", mode };
			yield* this.walk(place, path, depth + 1);
		} else if (found?.isSymbolicLink()) yield await linkAt(place, path);
		else if (found?.isFile()) yield* this.#file(place, path, mode);
		else yield left(path);
	}

	async *#file(place: string, path: string, mode: number): AsyncGenerator<FileEntry | LeftOut> {
		const file = await openUntrusted(place, constants.O_RDONLY).catch(() => undefined);
		if (!file) return yield left(path);
		try {
			const { size, blocks } = await file.stat();
			if (!this.#takes(size, blocks * blockBytes)) return yield left(path, true);
			const buffer = Buffer.allocUnsafe(Math.min(partBytes, size));
			let at = 0;
			do {
				const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
				const data = buffer.toString("base64", 0, bytesRead);
				yield at === 0 ? { path, kind: "file", mode, data } : { path, kind: "more", data };
				if (bytesRead === 0) break;
				at += bytesRead;
			} while (at < size);
		} finally {
			await file.close();
		}
	}

	/** Counts a file, unless all of them would have too many bytes. */
	#takes(bytes: number, occupied: number): boolean {
		const most = Math.min(maxBytes, freeBytes + maxHoles * (this.#occupied + occupied));
		if (this.#bytes + bytes > most) return false;
		this.#bytes += bytes;
		this.#occupied += occupied;
		return true;
	}
}

async function linkAt(place: string, path: string): Promise<FileEntry | LeftOut> {
	const target = await readlink(place).catch(() => "");
	return isLinkTarget(target) ? { path, kind: "link", target } : left(path);
}

function left(path: string, isBound = false): LeftOut {
	return { kind: "left", path, isBound };
}

function unlessRefused(error: unknown): undefined {
	if (!(error instanceof UntrustedFileError)) throw error;
}
