/**
 * Counts what folders occupy, with calls that block: it runs in a thread of its own (folder-size-thread.ts). Sessions have made all that
 * is in the folders, so the count, the time, the depth and the memory of the walk are bounded, and what is left out is said.
 */
import { type Dir, lstatSync, opendirSync, type Stats } from "node:fs";
import { monotonic } from "#shared/base/clock.ts";
import type { PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";
import { type OpenedBy, openFilesOf } from "./open-files.ts";

/** The unit of counted blocks in bytes, whatever the block size of the disk. */
const blockBytes = 512;
/** The most bytes of the paths of folders that wait to be read. */
const maxWaitingBytes = 64 * 2 ** 20;
/** The most files with several names that are remembered, so that each counts once; further ones count with each name. */
const maxLinked = 500_000;
/** The count of entries between two looks at the clock. */
const stepEntries = 256;
/** The entries of a folder that are read at a time. */
const bufferSize = 256;
/** Keeps each byte of a name as one character: names of sessions need not be UTF-8. */
const bytewise = "latin1";
const separator = Buffer.from("/");

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
	readonly #waiting: Buffer[];
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
		this.#waiting = order.folders.map((folder) => Buffer.from(folder));
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
			const found = this.#found(Buffer.from(folder));
			if (found) this.#devices.add(found.dev);
		}
		for (let path = this.#waiting.pop(); path && !this.#isOver(); path = this.#waiting.pop()) {
			this.#waitingBytes -= path.length;
			this.#read(path);
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

	/** Whether nothing more is to be read. Too deep folders are left out, and the others are still counted. */
	#isOver(): boolean {
		return this.#partial !== undefined && this.#partial !== "depth";
	}

	#read(path: Buffer): void {
		// A link that has taken the place of a folder is not followed.
		if (!this.#found(path)?.isDirectory()) return;
		const opened = this.#tried(() => opendirSync(path, { encoding: bytewise, bufferSize }));
		if (!opened) return;
		try {
			this.#readAll(path, opened);
		} finally {
			opened.closeSync();
		}
	}

	#readAll(path: Buffer, opened: Dir): void {
		for (let entry = opened.readSync(); entry && !this.#isOver(); entry = opened.readSync()) {
			this.#add(Buffer.concat([path, separator, Buffer.from(entry.name, bytewise)]));
			this.#step();
		}
	}

	#add(path: Buffer): void {
		const found = this.#found(path);
		if (!found || this.#isKnown(found)) return;
		this.#blocks += found.blocks;
		if (!found.isDirectory()) return;
		this.#waitingBytes += path.length;
		if (this.#waitingBytes > maxWaitingBytes) this.#partial = "memory";
		this.#waiting.push(path);
	}

	#found(path: Buffer): Stats | undefined {
		return this.#tried(() => lstatSync(path, { throwIfNoEntry: false }));
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
			const { code } = error as NodeJS.ErrnoException;
			if (code === "EACCES" || code === "EPERM") this.#hasUnreadable = true;
			else if (code !== "ENOENT" && code !== "ENOTDIR") this.#partial ??= "depth";
			return undefined;
		}
	}
}
