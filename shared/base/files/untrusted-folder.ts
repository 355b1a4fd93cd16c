/**
 * A folder that an untrusted program can replace by something else. A link in its place is not followed, and files
 * opened through it are in this folder even when its name belongs to another one by then. Linux only.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { UntrustedFileError } from "./untrusted-file.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Opens a folder, and makes it for this user only when there is none; its parent must exist. */
export async function madeFolder(path: string): Promise<UntrustedFolder> {
	await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error;
	});
	const folder = await UntrustedFolder.open(path);
	if (!folder) throw new UntrustedFileError(`"${path}" was removed meanwhile`);
	return folder;
}

/** An open folder; its owner disposes of it. */
export class UntrustedFolder implements AsyncDisposable {
	readonly #handle: FileHandle;

	private constructor(handle: FileHandle) {
		this.#handle = handle;
	}

	/**
	 * Opens a folder; undefined when there is none.
	 * @param path A path below a folder of the platform or of an opened {@link UntrustedFolder}.
	 * @throws {UntrustedFileError} when it is no folder or may not be entered.
	 */
	static async open(path: string): Promise<UntrustedFolder | undefined> {
		const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch((cause: unknown) => {
			const { code } = cause as NodeJS.ErrnoException;
			if (code === "ENOENT") return undefined;
			if (code === "ENOTDIR" || code === "ELOOP" || code === "EACCES")
				throw new UntrustedFileError(`"${path}" is not a folder that can be used (${code})`, { cause });
			throw cause;
		});
		return handle && new UntrustedFolder(handle);
	}

	/** Returns a path to an entry of the folder, valid until the folder is disposed of (proc(5), `/proc/self/fd`). */
	path(name: string): string {
		return `/proc/self/fd/${this.#handle.fd}/${name}`;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#handle.close();
	}
}
