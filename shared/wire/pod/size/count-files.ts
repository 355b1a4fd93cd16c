/**
 * Counts what folders occupy, with calls that block: it runs in a thread of its own (folder-size-thread.ts). Sessions have made all that
 * is in the folders, and change it meanwhile. So the count, the time, the depth and the memory of the walk are bounded, what is left out is
 * said, and each entry is looked up in its open folder: no link in the place of a folder above it leads anywhere else. Linux only.
 */
import { closeSync, constants, lstatSync, opendirSync, openSync, type Stats } from "node:fs";
import { monotonic } from "#shared/base/clock.ts";
import type { PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";
import { changesOf, foldersIn, identityOf } from "./open-folder.ts";
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
/** The times that a folder is listed while its entries change. A file that is renamed all the time is missing in some of the lists. */
const maxLists = 8;
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
	#looks = 0;
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
			this.#checkTime();
			this.#countEntry();
			if (this.#isOver()) return;
		}
	}

	#isRemoved(found: Stats): boolean {
		return found.isFile() && found.nlink === 0 && this.#devices.has(found.dev);
	}

	#countEntry(): void {
		if (++this.#entries >= this.#order.maxEntries) this.#partial = "entries";
	}

	#checkTime(): void {
		if (++this.#looks % stepEntries === 0 && monotonic() > this.#endAt) this.#partial = "time";
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
			const folders = this.#readEntries(fd);
			const read = folders.filter((folder) => this.#readWaiting(folder, depth + 1));
			if (read.length < (foldersIn(fd) ?? folders.length)) this.#readRenamed(fd, read, depth);
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

	/** Counts the entries of an open folder, and returns its folders. It is listed again while its entries change. */
	#readEntries(fd: number): CountedFolder[] {
		const seen: SeenEntries = { blocks: new Map(), folders: [] };
		for (let list = 0; list < maxLists && !this.#isOver(); list++) {
			const isUnchanged = changesOf(fd);
			if (this.#list(fd, seen, list === 0) && isUnchanged()) break;
		}
		return seen.folders;
	}

	/** Counts what a list of an open folder has beyond the earlier ones. Whether everything in it was there. */
	#list(fd: number, seen: SeenEntries, isFirst: boolean): boolean {
		let isWhole = true;
		for (const { path } of this.#entriesOf(fd)) {
			const found = this.#tried(() => lstatSync(path));
			if (found === undefined) isWhole = false;
			if (typeof found === "object" && this.#add(path, found, seen)) this.#countEntry();
			else if (isFirst) this.#countEntry();
			this.#checkTime();
		}
		return isWhole;
	}

	/** Counts an entry, or its growth. Whether no earlier list had it. */
	#add(path: Buffer, found: Stats, { blocks, folders }: SeenEntries): boolean {
		const counted = blocks.get(found.ino);
		if (counted === undefined) {
			blocks.set(found.ino, found.blocks);
			if (!this.#isKnown(found)) this.#blocks += found.blocks;
			if (found.isDirectory()) folders.push(this.#waiting(path, found));
			return true;
		}
		if (found.blocks > counted) {
			blocks.set(found.ino, found.blocks);
			this.#blocks += found.blocks - counted;
		}
		return false;
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
			const outcome = this.#search(fd, known, depth);
			if (outcome === "whole") return;
			calm = outcome === "calm" ? calm + 1 : 0;
		}
		if (calm < calmSearches) this.#partial ??= "changes";
	}

	/** Reads what a list of an open folder has beyond the known ones. It is whole when as many folders were read as there are. */
	#search(fd: number, known: KnownFolders, depth: number): "whole" | "calm" | "changed" {
		const isUnchanged = changesOf(fd);
		const { listed, found } = this.#readOthers(fd, known, depth);
		const present = foldersIn(fd);
		if (found >= (present ?? Infinity)) return "whole";
		return found === listed && (present === undefined || isUnchanged()) ? "calm" : "changed";
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

	#waiting(path: Buffer, { ino, birthtimeMs }: Stats): CountedFolder {
		this.#waitingBytes += path.length;
		if (this.#waitingBytes > maxWaitingBytes) this.#partial = "memory";
		return { path, ino, birthtimeMs };
	}

	/** Whether it has several names, and was counted under another one. */
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

/** The entries that the lists of an open folder have had. */
interface SeenEntries {
	/** The counted blocks of each entry, by its number on the disk. */
	readonly blocks: Map<number, number>;
	readonly folders: CountedFolder[];
}

/** The folders of an open one that were read. */
interface KnownFolders {
	/** The paths that they had then. */
	readonly names: ReadonlySet<string>;
	readonly identities: Set<string>;
}

/** The failures that say that there is no such folder, or a link or a file in its place. */
const gone = ["ENOENT", "ENOTDIR", "ELOOP"];
