/**
 * A folder that a program we do not trust can put something else in the place of: a link there is not followed, and what
 * is opened in it afterwards is in this one, whatever has its name by then. Linux only.
 */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { UntrustedFileError } from "./untrusted-file.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

export class UntrustedFolder implements AsyncDisposable {
	readonly #handle: FileHandle;

	private constructor(handle: FileHandle) {
		this.#handle = handle;
	}

	/**
	 * Undefined when there is none.
	 * @param path Below a folder of ours, or of one that was opened so.
	 * @throws {UntrustedFileError} for what is no folder, or may not be entered.
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

	/** Of what is in it, as long as it is not disposed of (proc(5), `/proc/self/fd`). */
	path(name: string): string {
		return `/proc/self/fd/${this.#handle.fd}/${name}`;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#handle.close();
	}
}
