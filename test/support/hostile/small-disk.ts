/** A file system of its own in memory, small enough to be filled, for a platform's data folder. Needs leave to mount. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const block = Buffer.alloc(1_048_576);
/** Below this the rest of a disk cannot be filled. */
const smallest = 4_096;

export class SmallDisk implements Disposable {
	readonly folder: string;
	readonly #ballast: string;
	/** The same disk once more, read only: what is mounted from there is so from its first moment. */
	readonly #readOnly: string;
	#isReadOnly = false;

	private constructor(folder: string, readOnly: string) {
		this.folder = folder;
		this.#ballast = join(folder, "ballast");
		this.#readOnly = readOnly;
	}

	/** Undefined where this process may not mount anything. */
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

	/** Takes all the room that is left; again, when something has become free since. */
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

	/** Whatever is opened from now on can be read only; what is open stays as it is. */
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

/** Lazily: somebody may stand in a folder of it. */
function unmount(folder: string): void {
	execFileSync("umount", ["--lazy", folder], { stdio: "pipe" });
}

/** False when there is no room for it; part of it may be written then. */
function hasWritten(file: number, length: number): boolean {
	try {
		return writeSync(file, block, 0, length) === length;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
		throw error;
	}
}
