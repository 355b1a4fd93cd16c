/** Checks the files of an archive, and restores them. Programs that nobody trusts may have written them: links stay links. */
import { chmod, type FileHandle, mkdir, open, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type FileEntry, fileEntry } from "#shared/base/files/file-entry.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { ArchiveError } from "./archive-format.ts";

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

function entryOf(value: unknown): FileEntry {
	return fileEntry(value) ?? refuse(isJsonObject(value) ? value["path"] : undefined);
}

function refuse(path: unknown): never {
	throw refusal(path);
}

function refusal(path: unknown): ArchiveError {
	const name = typeof path === "string" ? JSON.stringify(path.slice(0, 200)) : "a file";
	return new ArchiveError(`Cannot use ${name} of the archive: it is no file in a folder of the archive`);
}
