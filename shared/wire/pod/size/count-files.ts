/**
 * Counts what folders occupy, with calls that block: it runs in a thread of its own (folder-size-thread.ts). Sessions have made all that
 * is in the folders, and change it meanwhile. So the count, the time, the depth and the memory of the walk are bounded, what is left out is
 * said, and each entry is looked up in its open folder: no link in the place of a folder above it leads anywhere else. Linux only.
 */
import { closeSync, constants, type Dirent, fstatSync, lstatSync, opendirSync, openSync, type Stats } from "node:fs";
import { monotonic } from "#shared/base/clock.ts";
import type { PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";
import { type OpenedBy, openFilesOf } from "./open-files.ts";

/** The unit of counted blocks in bytes, whatever the block size of the disk. */
const blockBytes = 512;
/** The most folders inside each other; each is open while what is in it is counted. */
const maxDepth = 200;
/** The most names and numbers of entries in memory: those of the folders that are open. */
const maxNames = 1_000_000;
/** How often a folder is listed when entries of it have got other names, or have gone, before they were counted. */
const maxListings = 3;
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

/** Counts blocks of the disk as `du` does: each file once, and links without following them. What is removed meanwhile counts nothing. */
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
	#names = 0;
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
			if (found?.isDirectory() && !this.#isOver()) this.#readIn(Buffer.from(folder), 0);
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
		else if (this.#entries % stepEntries === 0) this.#lookAtClock();
	}

	#lookAtClock(): void {
		if (monotonic() > this.#endAt) this.#partial = "time";
	}

	/** Whether nothing more is to be read. What lies too deep or has changed is left out, and the rest is still counted. */
	#isOver(): boolean {
		return this.#partial !== undefined && this.#partial !== "depth" && this.#partial !== "changes";
	}

	/** Reads what is in a folder. Whether the folder was there: a link that has taken its place is not followed. */
	#readIn(path: Buffer, depth: number): boolean {
		if (depth > maxDepth) {
			this.#partial ??= "depth";
			return true;
		}
		let fd: number;
		try {
			fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
		} catch (error) {
			return this.#isThere(error);
		}
		try {
			this.#readAll(fd, depth);
		} finally {
			closeSync(fd);
		}
		return true;
	}

	/**
	 * Reads an open folder, and again what is not counted yet when it has changed meanwhile: an entry may have got another name. Builds make,
	 * rename and remove entries, too; so what is not met under a name at any of the listings counts nothing.
	 */
	#readAll(fd: number, depth: number): void {
		const counted = new Set<number>();
		for (let listings = 1; listings <= maxListings; listings++) {
			const changedAt = this.#tried(() => fstatSync(fd).mtimeMs);
			const hasMissed = this.#readListing(fd, depth, counted);
			if (this.#isOver() || (!hasMissed && this.#tried(() => fstatSync(fd).mtimeMs) === changedAt)) break;
		}
		this.#names -= counted.size;
	}

	/** @param counted The numbers of the entries that were counted, which get those of this listing. @returns Whether an entry was missed. */
	#readListing(fd: number, depth: number, counted: Set<number>): boolean {
		const isFirst = counted.size === 0;
		const names = this.#namesIn(fd);
		let hasMissed = false;
		for (const name of names) {
			if (this.#isOver()) break;
			if (!this.#add(Buffer.from(`/proc/self/fd/${fd}/${name}`, bytewise), depth, counted)) hasMissed = true;
			if (isFirst && !this.#isOver()) this.#step();
		}
		this.#names -= names.length;
		return hasMissed;
	}

	/** Counts an entry once. Whether it is there. */
	#add(path: Buffer, depth: number, counted: Set<number>): boolean {
		let found: Stats;
		try {
			found = lstatSync(path);
		} catch (error) {
			return this.#isThere(error);
		}
		if (counted.has(found.ino)) return true;
		if (found.isDirectory() && !this.#readIn(path, depth + 1)) return false;
		counted.add(found.ino);
		this.#names += 1;
		if (!this.#isKnown(found)) this.#blocks += found.blocks;
		return true;
	}

	#namesIn(fd: number): string[] {
		const names: string[] = [];
		const opened = this.#tried(() => opendirSync(`/proc/self/fd/${fd}`, { encoding: bytewise, bufferSize }));
		if (!opened) return names;
		try {
			for (let entry = this.#next(opened); entry && !this.#isOver(); entry = this.#next(opened)) {
				names.push(entry.name);
				if (++this.#names > maxNames) this.#partial = "memory";
				if (names.length % stepEntries === 0) this.#lookAtClock();
			}
		} finally {
			opened.closeSync();
		}
		return names;
	}

	#next(opened: { readSync(): Dirent | null }): Dirent | null | undefined {
		return this.#tried(() => opened.readSync());
	}

	#isKnown(found: Stats): boolean {
		if (found.nlink === 1 || found.isDirectory()) return false;
		const key = `${found.dev}:${found.ino}`;
		if (this.#linked.has(key)) return true;
		if (this.#linked.size < maxLinked) this.#linked.add(key);
		return false;
	}

	/** Returns undefined for what is not there, or cannot be read. */
	#tried<T>(call: () => T): T | undefined {
		try {
			return call();
		} catch (error) {
			this.#isThere(error);
			return undefined;
		}
	}

	/** Whether a failure says that there is something, which then is noted as a part that was left out. */
	#isThere(error: unknown): boolean {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (gone.includes(code)) return false;
		if (code === "EACCES" || code === "EPERM") this.#hasUnreadable = true;
		else this.#partial ??= "changes";
		return true;
	}
}

/** The failures that say that there is no such folder, or a link or a file in its place. */
const gone = ["ENOENT", "ENOTDIR", "ELOOP"];
