/**
 * Counts what folders occupy, with calls that block: it runs in a thread of its own (folder-size-thread.ts). Sessions have made all that
 * is in the folders, and change it meanwhile. So the count, the time, the depth and the memory of the walk are bounded, what is left out is
 * said, and each entry is looked up in its open folder: no link in the place of a folder above it leads anywhere else. Linux only.
 */
import { closeSync, constants, fstatSync, lstatSync, opendirSync, openSync, type Stats } from "node:fs";
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
/** The times that a folder is listed again while folders in it are renamed. */
const maxSearches = 100;
/** The lists in a row from which nothing disappears, after which the file system is taken to count folders in another way. */
const calmSearches = 5;
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
			if (typeof found === "object") this.#devices.add(found.dev);
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

	/** Reads a folder and those in it. A link that has taken its place is not followed. Whether it was there. */
	#read(path: Buffer, depth: number): boolean {
		if (depth > maxDepth) {
			this.#partial ??= "depth";
			return true;
		}
		const fd = this.#tried(() => openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
		if (typeof fd !== "number") return fd === "unreadable";
		try {
			const read = this.#readEntries(fd).filter((folder) => this.#readWaiting(folder, depth + 1));
			if (read.length < foldersIn(fd)) this.#readRenamed(fd, read, depth);
		} finally {
			closeSync(fd);
		}
		return true;
	}

	/** Whether the folder was there. */
	#readWaiting({ path }: CountedFolder, depth: number): boolean {
		this.#waitingBytes -= path.length;
		return this.#isOver() || this.#read(path, depth);
	}

	/** Counts the entries of an open folder, and returns its folders. */
	#readEntries(fd: number): CountedFolder[] {
		const folders: CountedFolder[] = [];
		for (const { path } of this.#entriesOf(fd)) {
			const found = this.#tried(() => lstatSync(path));
			if (typeof found === "object" && this.#add(path, found))
				folders.push({ path, ino: found.ino, birthtimeMs: found.birthtimeMs });
			this.#step();
		}
		return folders;
	}

	/**
	 * Reads the folders of an open one that have got another name since, until a list of it is whole: a session must not hide a folder by
	 * renaming it all the time.
	 */
	#readRenamed(fd: number, read: readonly CountedFolder[], depth: number): void {
		const known = {
			names: new Set(read.map(({ path }) => path.toString(bytewise))),
			identities: new Set(read.map(identityOf)),
		};
		let calm = 0;
		for (let search = 0; search < maxSearches && calm < calmSearches && !this.#isOver(); search++) {
			const { listed, found } = this.#readOthers(fd, known, depth);
			if (found >= foldersIn(fd)) return;
			calm = found === listed ? calm + 1 : 0;
		}
		if (calm < calmSearches) this.#partial ??= "changes";
	}

	/** Reads the folders of an open one that are not known. Returns how many the list has, and how many of these were there. */
	#readOthers(fd: number, known: KnownFolders, depth: number): { listed: number; found: number } {
		let [listed, found] = [0, 0];
		for (const { path, isFolder } of this.#entriesOf(fd)) {
			if (!isFolder) continue;
			listed++;
			const isThere = known.names.has(path.toString(bytewise)) || this.#readNew(path, known.identities, depth + 1);
			if (isThere) found++;
		}
		return { listed, found };
	}

	/** Reads a folder that has none of these identities, and notes its own. Whether it was there. */
	#readNew(path: Buffer, identities: Set<string>, depth: number): boolean {
		const found = this.#tried(() => lstatSync(path));
		if (typeof found !== "object" || !found.isDirectory()) return found === "unreadable";
		const identity = identityOf(found);
		if (identities.has(identity)) return true;
		if (!this.#read(path, depth)) return false;
		this.#blocks += found.blocks;
		identities.add(identity);
		return true;
	}

	/** Yields the entries of an open folder until nothing more is to be read. Their paths are valid as long as it is open. */
	*#entriesOf(fd: number): Generator<{ readonly path: Buffer; readonly isFolder: boolean }> {
		const place = `/proc/self/fd/${fd}`;
		const opened = this.#tried(() => opendirSync(place, { encoding: bytewise, bufferSize }));
		if (typeof opened !== "object") return;
		try {
			for (let entry = opened.readSync(); entry && !this.#isOver(); entry = opened.readSync()) {
				yield { path: Buffer.from(`${place}/${entry.name}`, bytewise), isFolder: entry.isDirectory() };
			}
		} finally {
			opened.closeSync();
		}
	}

	/** Counts an entry once. Whether it is a folder. */
	#add(path: Buffer, found: Stats): boolean {
		if (this.#isKnown(found)) return false;
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

	/** Returns undefined for what has disappeared; anything but what may not be read is a part that is left out. */
	#tried<T>(call: () => T): T | "unreadable" | undefined {
		try {
			return call();
		} catch (error) {
			const { code = "" } = error as NodeJS.ErrnoException;
			if (gone.includes(code)) return undefined;
			if (code === "EACCES" || code === "EPERM") this.#hasUnreadable = true;
			else this.#partial ??= "changes";
			return "unreadable";
		}
	}
}

/** A folder that was counted, and whose entries are still to be read. */
interface CountedFolder extends Pick<Stats, "ino" | "birthtimeMs"> {
	readonly path: Buffer;
}

/** The folders of an open one that were read. */
interface KnownFolders {
	/** The paths that they had then. */
	readonly names: ReadonlySet<string>;
	readonly identities: Set<string>;
}

/** Tells a folder from others, whatever its name is; the number alone may be that of one that was removed. */
function identityOf({ ino, birthtimeMs }: Pick<Stats, "ino" | "birthtimeMs">): string {
	return `${ino}:${birthtimeMs}`;
}

/** Returns how many folders are in an open one. File systems that do not count them say 0 or less. */
function foldersIn(fd: number): number {
	// Its own name, its entry ".", and the entry ".." of each of them.
	return fstatSync(fd).nlink - 2;
}

/** The failures that say that there is no such folder, or a link or a file in its place. */
const gone = ["ENOENT", "ENOTDIR", "ELOOP"];
