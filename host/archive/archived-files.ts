/**
 * The files of a folder as a section of an archive. Programs that nobody trusts may have written them, and may change
 * them meanwhile: links are kept as links and never followed, neither here nor when the files are restored.
 */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, readdir, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { openUntrusted, UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { ArchiveError } from "./archive-format.ts";
import type { ArchiveWriter } from "./archive-writer.ts";

/** The bytes of a file in one entry. */
const partBytes = 192 * 1024;
/** The most folders inside each other; each is open while its content is read. */
const maxDepth = 100;
/** The longest path in bytes; the system allows 4,095, of which the data folder in front of it needs some. */
const maxPathBytes = 3_000;
const maxNameBytes = 255;
const maxTargetBytes = 4_095;
const permissions = 0o777;

/** One file, link or folder, or a further part of the file before. */
type FileEntry =
	| { readonly path: string; readonly kind: "folder"; readonly mode: number }
	| { readonly path: string; readonly kind: "link"; readonly target: string }
	| { readonly path: string; readonly kind: "file"; readonly mode: number; readonly data: string }
	| { readonly path: string; readonly kind: "more"; readonly data: string };

/**
 * Adds what is in a folder to the present section; returns how many files could not be read.
 * @param skips Matches the paths from the folder of what is left out; absent: nothing is.
 */
export async function writeFiles(writer: ArchiveWriter, root: string, skips?: RegExp): Promise<number> {
	return new FolderWalk(writer, skips).walk(root, "", 0);
}

class FolderWalk {
	readonly #writer: ArchiveWriter;
	readonly #skips: RegExp | undefined;

	constructor(writer: ArchiveWriter, skips: RegExp | undefined) {
		this.#writer = writer;
		this.#skips = skips;
	}

	async walk(place: string, path: string, depth: number): Promise<number> {
		await using folder = depth > maxDepth ? undefined : await UntrustedFolder.open(place).catch(unlessRefused);
		if (!folder) return depth === 0 ? 0 : 1;
		const names = await readdir(folder.path("."));
		// Names that are no UTF-8 are read as something else, so two of them can be equal.
		const different = new Set(names);
		let unread = names.length - different.size;
		for (const name of [...different].toSorted()) {
			const below = path === "" ? name : `${path}/${name}`;
			if (!this.#skips?.test(below)) unread += await this.#visit(folder.path(name), below, depth);
		}
		return unread;
	}

	/** Leaves out entries that the loader would refuse: one of them would make the whole archive useless. */
	async #visit(place: string, path: string, depth: number): Promise<number> {
		if (!isPlain(path)) return 1;
		const found = await lstat(place).catch(() => undefined);
		const mode = (found?.mode ?? 0) & permissions;
		if (found?.isDirectory()) {
			await this.#writer.entry({ path, kind: "folder", mode } satisfies FileEntry);
			return this.walk(place, path, depth + 1);
		}
		if (found?.isSymbolicLink()) return this.#link(place, path);
		return found?.isFile() ? this.#file(place, path, mode) : 1;
	}

	async #link(place: string, path: string): Promise<number> {
		const target = await readlink(place).catch(() => undefined);
		if (target === undefined || !isTarget(target)) return 1;
		await this.#writer.entry({ path, kind: "link", target } satisfies FileEntry);
		return 0;
	}

	async #file(place: string, path: string, mode: number): Promise<number> {
		const file = await openUntrusted(place, constants.O_RDONLY).catch(() => undefined);
		if (!file) return 1;
		try {
			const { size } = await file.stat();
			const buffer = Buffer.allocUnsafe(Math.min(partBytes, size));
			let at = 0;
			do {
				const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
				const data = buffer.toString("base64", 0, bytesRead);
				const entry: FileEntry = at === 0 ? { path, kind: "file", mode, data } : { path, kind: "more", data };
				await this.#writer.entry(entry);
				if (bytesRead === 0) break;
				at += bytesRead;
			} while (at < size);
			return 0;
		} finally {
			await file.close();
		}
	}
}

function unlessRefused(error: unknown): undefined {
	if (!(error instanceof UntrustedFileError)) throw error;
}

/** A folder of the archive with the path of its newest entry. */
interface OpenFolder {
	readonly path: string;
	last: string;
}

/** Checks the files of an archive, and writes them into a new folder when there is one. */
export class FileLoader implements AsyncDisposable {
	readonly #root: string | undefined;
	/** The folders that the present entry may be in: those of the archive only, so no path leads through a link. */
	readonly #above: OpenFolder[] = [{ path: "", last: "" }];
	#open: { readonly path: string; readonly file?: FileHandle } | undefined;

	/** @param root The new folder; undefined: the entries are only checked. */
	constructor(root?: string) {
		this.#root = root;
	}

	/** @throws {ArchiveError} for an entry that leads out of the folder. */
	async take(value: unknown): Promise<void> {
		const entry = entryOf(value);
		if (entry.kind === "more") return this.#append(entry.path, entry.data);
		await this.#close();
		this.#enter(entry.path);
		const place = this.#root === undefined ? undefined : join(this.#root, entry.path);
		if (entry.kind === "folder") {
			this.#above.push({ path: entry.path, last: "" });
			// Its content is written next, so the owner may write into it in any case.
			if (place !== undefined) await mkdir(place, { mode: entry.mode | 0o700 });
		} else if (entry.kind === "link") {
			if (place !== undefined) await symlink(entry.target, place);
		} else {
			this.#open = { path: entry.path, ...(place !== undefined && { file: await created(place, entry.mode) }) };
			await this.#append(entry.path, entry.data);
		}
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#close();
	}

	/** Leaves the folders that the path is not in. Paths in one folder grow, so none comes twice. */
	#enter(path: string): void {
		while (this.#above.length > 1 && !path.startsWith(`${this.#above.at(-1)?.path}/`)) this.#above.pop();
		const folder = this.#above.at(-1);
		const parent = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
		if (folder?.path !== parent || path <= folder.last) throw refusal(path);
		folder.last = path;
	}

	async #append(path: string, data: string): Promise<void> {
		if (this.#open?.path !== path) throw refusal(path);
		await this.#open.file?.writeFile(Buffer.from(data, "base64"));
	}

	async #close(): Promise<void> {
		const file = this.#open?.file;
		this.#open = undefined;
		if (!file) return;
		await file.sync();
		await file.close();
	}
}

async function created(place: string, mode: number): Promise<FileHandle> {
	const file = await open(place, "wx", 0o600);
	await chmod(place, mode);
	return file;
}

const entryFailures = compileSchema({
	path: { type: "string", max: maxPathBytes },
	kind: { type: "enum", values: ["folder", "link", "file", "more"] },
	mode: { type: "number", integer: true, min: 0, max: permissions, optional: true },
	target: { type: "string", min: 1, max: maxTargetBytes, optional: true },
	data: { type: "string", optional: true },
});

const members = { folder: ["mode"], link: ["target"], file: ["mode", "data"], more: ["data"] } as const;

function entryOf(value: unknown): FileEntry {
	if (!isJsonObject(value) || entryFailures(value).length > 0) throw refusal(undefined);
	const entry = value as unknown as FileEntry;
	const lacks = members[entry.kind].some((member) => value[member] === undefined);
	if (lacks || !isPlain(entry.path) || (entry.kind === "link" && !isTarget(entry.target))) throw refusal(entry.path);
	return entry;
}

/** Whether the path leads to a place below its folder, and the system allows it. */
function isPlain(path: string): boolean {
	if (path.includes("\0") || Buffer.byteLength(path) > maxPathBytes) return false;
	return path.split("/").every(isName);
}

function isName(name: string): boolean {
	return name !== "" && name !== "." && name !== ".." && Buffer.byteLength(name) <= maxNameBytes;
}

function isTarget(target: string): boolean {
	return !target.includes("\0") && Buffer.byteLength(target) <= maxTargetBytes;
}

function refusal(path: unknown): ArchiveError {
	const name = typeof path === "string" ? JSON.stringify(path.slice(0, 200)) : "a file";
	return new ArchiveError(`Cannot use ${name} of the archive: it is no file in a folder of the archive`);
}
