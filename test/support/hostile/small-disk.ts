/** A small file system in memory for a platform's data folder, which a test can fill. Needs the right to mount. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const block = Buffer.alloc(1_048_576);
/** The smallest unit in which the disk can be filled, in bytes. */
const smallest = 4_096;

export class SmallDisk implements Disposable {
	readonly folder: string;
	readonly #ballast: string;
	/** A second, read-only mount of the disk: mounts made from it are read-only from their first moment. */
	readonly #readOnly: string;
	#isReadOnly = false;

	private constructor(folder: string, readOnly: string) {
		this.folder = folder;
		this.#ballast = join(folder, "ballast");
		this.#readOnly = readOnly;
	}

	/** Mounts a disk; undefined when this process may not mount. */
	static mount(megabytes: number): SmallDisk | undefined {
		const folder = mkdtempSync(join(tmpdir(), "atelier-disk-"));
		try {
			mount("-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder);
		} catch {
			rmdirSync(folder);
			return undefined;
		}
		const readOnly = mkdtempSync(join(tmpdir(), "atelier-disk-"));
		mount("--bind", folder, readOnly);
		mount("-o", "remount,bind,ro", readOnly);
		return new SmallDisk(folder, readOnly);
	}

	/** Fills the remaining room, also when some has become free since the last call. */
	fill(): void {
		const file = openSync(this.#ballast, "a");
		try {
			for (let length = block.length; length >= smallest; )
				if (!hasWritten(file, length)) length = Math.floor(length / 2);
		} finally {
			closeSync(file);
		}
	}

	empty(): void {
		rmSync(this.#ballast, { force: true });
	}

	/** Makes the disk read-only for files that are opened from now on; open files are unaffected. */
	makeReadOnly(): void {
		mount("--bind", this.#readOnly, this.folder);
		this.#isReadOnly = true;
	}

	makeWritable(): void {
		if (!this.#isReadOnly) return;
		unmount(this.folder);
		this.#isReadOnly = false;
	}

	[Symbol.dispose](): void {
		this.makeWritable();
		for (const folder of [this.#readOnly, this.folder]) {
			unmount(folder);
			rmdirSync(folder);
		}
	}
}

function mount(...args: readonly string[]): void {
	execFileSync("mount", args, { stdio: "pipe" });
}

/** Unmounts lazily, because a process may have its working folder there. */
function unmount(folder: string): void {
	execFileSync("umount", ["--lazy", folder], { stdio: "pipe" });
}

/** Writes to a file; false when there is no room, in which case a part may be written. */
function hasWritten(file: number, length: number): boolean {
	try {
		return writeSync(file, block, 0, length) === length;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
		throw error;
	}
}
