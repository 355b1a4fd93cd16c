/**
 * Counts what folders occupy, with calls that block: it runs in a thread of its own (folder-size-thread.ts). Sessions have made all that
 * is in the folders, and change it meanwhile. So the count, the time, the depth and the memory of the walk are bounded, what is left out is
 * said, and each entry is looked up in its open folder: no link in the place of a folder above it leads anywhere else. Linux only.
 */
import { closeSync, constants, lstatSync, opendirSync, openSync, type Stats } from "node:fs";
import { monotonic } from "#shared/base/clock.ts";
import type { PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";
import { type OpenedBy, openFilesOf } from "./open-files.ts";

/** The unit of counted blocks in bytes, whatever the block size of the disk. */
const blockBytes = 512;
/** The most folders inside each other; each is open while what is in it is counted. */
const maxDepth = 200;
/** The most bytes of the names of folders that wait to be read. */
const maxWaitingBytes = 64 * 2 ** 20;
/** The most files with several names that are remembered, so that each counts once; further ones count with each name. */
const maxLinked = 500_000;
/** The count of entries between two looks at the clock. */
const stepEntries = 256;
/** The entries of a folder that are read at a time. */
const bufferSize = 256;
/** Keeps each byte of a name as one character: names of sessions need not be UTF-8. */
const bytewise = "latin1";
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** The folders of one session. */
export interface CountOrder {
	/** Absolute paths; no session can replace them. */
	readonly folders: readonly string[];
	readonly maxEntries: number;
	/** The time after which nothing more is read, in milliseconds from now. */
	readonly withinMs: number;
	/** The processes whose removed files on the same disk count too. */
	readonly openedBy?: OpenedBy | undefined;
}

/** The result of a count. */
export interface CountedFiles {
	readonly bytes: number;
	readonly entries: number;
	/** Absent: everything was counted, but for what this process may not read. */
	readonly partial?: PartialReason;
	/** Whether there are folders that this process may not read. */
	readonly hasUnreadable: boolean;
}

/** Counts blocks of the disk as `du` does: each file once, and links without following them. What disappears meanwhile counts nothing. */
export function countFiles(order: CountOrder): CountedFiles {
	const count = new Count(order);
	count.run();
	return count.result;
}

class Count {
	readonly #order: CountOrder;
	readonly #endAt: number;
	/** The devices and numbers of files with several names, or with none. */
	readonly #linked = new Set<string>();
	/** The disks of the folders. */
	readonly #devices = new Set<number>();
	#waitingBytes = 0;
	#blocks = 0;
	#entries = 0;
	#partial: PartialReason | undefined;
	#hasUnreadable = false;

	constructor(order: CountOrder) {
		this.#order = order;
		this.#endAt = monotonic() + order.withinMs;
	}

	get result(): CountedFiles {
		const partial = this.#partial && { partial: this.#partial };
		return {
			bytes: this.#blocks * blockBytes,
			entries: this.#entries,
			hasUnreadable: this.#hasUnreadable,
			...partial,
		};
	}

	run(): void {
		for (const folder of this.#order.folders) {
			const found = this.#tried(() => lstatSync(folder));
			if (found) this.#devices.add(found.dev);
			if (!this.#isOver()) this.#read(Buffer.from(folder), 0);
		}
		this.#readOpen();
	}

	/** A file that has a name is in a folder, or is none of the session's. */
	#readOpen(): void {
		const { openedBy } = this.#order;
		if (!openedBy || this.#isOver()) return;
		for (const found of openFilesOf(openedBy)) {
			if (found && this.#isRemoved(found) && !this.#isKnown(found)) this.#blocks += found.blocks;
			this.#step();
			if (this.#isOver()) return;
		}
	}

	#isRemoved(found: Stats): boolean {
		return found.isFile() && found.nlink === 0 && this.#devices.has(found.dev);
	}

	#step(): void {
		if (++this.#entries >= this.#order.maxEntries) this.#partial = "entries";
		else if (this.#entries % stepEntries === 0 && monotonic() > this.#endAt) this.#partial = "time";
	}

	/** Whether nothing more is to be read. What lies too deep or cannot be read is left out, and the rest is still counted. */
	#isOver(): boolean {
		return this.#partial !== undefined && this.#partial !== "depth" && this.#partial !== "changes";
	}

	/** Reads a folder and those in it. A link that has taken its place is not followed. */
	#read(path: Buffer, depth: number): void {
		if (depth > maxDepth) {
			this.#partial ??= "depth";
			return;
		}
		const fd = this.#tried(() => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
		if (fd === undefined) return;
		try {
			for (const folder of this.#readEntries(fd)) {
				this.#waitingBytes -= folder.length;
				if (!this.#isOver()) this.#read(folder, depth + 1);
			}
		} finally {
			closeSync(fd);
		}
	}

	/** Counts the entries of an open folder, and returns the paths of its folders, which are valid as long as it is open. */
	#readEntries(fd: number): Buffer[] {
		const folders: Buffer[] = [];
		const place = `/proc/self/fd/${fd}`;
		const opened = this.#tried(() => opendirSync(place, { encoding: bytewise, bufferSize }));
		if (!opened) return folders;
		try {
			for (let entry = opened.readSync(); entry && !this.#isOver(); entry = opened.readSync()) {
				const path = Buffer.from(`${place}/${entry.name}`, bytewise);
				if (this.#add(path)) folders.push(path);
				this.#step();
			}
		} finally {
			opened.closeSync();
		}
		return folders;
	}

	/** Counts an entry once. Whether it is a folder. */
	#add(path: Buffer): boolean {
		const found = this.#tried(() => lstatSync(path));
		if (!found || this.#isKnown(found)) return false;
		this.#blocks += found.blocks;
		if (!found.isDirectory()) return false;
		this.#waitingBytes += path.length;
		if (this.#waitingBytes > maxWaitingBytes) this.#partial = "memory";
		return true;
	}

	#isKnown(found: Stats): boolean {
		if (found.nlink === 1 || found.isDirectory()) return false;
		const key = `${found.dev}:${found.ino}`;
		if (this.#linked.has(key)) return true;
		if (this.#linked.size < maxLinked) this.#linked.add(key);
		return false;
	}

	/** Returns undefined for what has disappeared or may not be read; anything else is a part that is left out. */
	#tried<T>(call: () => T): T | undefined {
		try {
			return call();
		} catch (error) {
			const { code = "" } = error as NodeJS.ErrnoException;
			if (code === "EACCES" || code === "EPERM") this.#hasUnreadable = true;
			else if (!gone.includes(code)) this.#partial ??= "changes";
			return undefined;
		}
	}
}

/** The failures that say that there is no such folder, or a link or a file in its place. */
const gone = ["ENOENT", "ENOTDIR", "ELOOP"];
