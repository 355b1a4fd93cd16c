/** A file of JSON records, one per line, that is only appended to. An append resolves when the record is on disk. */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openUntrusted, readFrom } from "#shared/base/files/untrusted-file.ts";
import { replaceOpen, syncFolder } from "#shared/base/files/replaced-file.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { parseJson } from "#shared/base/schema/parsed-json.ts";

const { O_RDWR, O_CREAT, O_APPEND, O_DSYNC } = constants;
/** A write with O_DSYNC returns when its bytes are on disk, which costs one trip to the thread pool instead of two. */
const durable = O_RDWR | O_CREAT | O_APPEND | O_DSYNC;

/** The bound is several times the size to which any owner of a journal lets it grow. */
const maxBytes = 256 * 1_048_576;

/** Appends to one file and rewrites it; the owner closes it. */
export class Journal<R extends object> {
	readonly #path: string;
	#file: FileHandle;
	#size: number;
	/** The last append; appends run one after the other, and this never rejects. */
	#last: Promise<unknown> = Promise.resolve();

	private constructor(path: string, file: FileHandle, size: number) {
		this.#path = path;
		this.#file = file;
		this.#size = size;
	}

	/**
	 * Opens or creates the file and returns its records. A line without an end is the rest of an append that a crash
	 * interrupted; it was never acknowledged and is cut off. A damaged line is left out.
	 * @param members Each record has one of these members; by default any object is a record. Only this program writes
	 * the file, so the other members are not checked.
	 * @throws {UntrustedFileError} when something else has the name, or when the file is far too long.
	 */
	static async open<R extends object = object>(
		path: string,
		members?: readonly string[],
	): Promise<{ journal: Journal<R>; records: R[] }> {
		const isRecord = (value: unknown): value is object & R =>
			isJsonObject(value) && (members?.some((name) => name in value) ?? true);
		const file = await openUntrusted(path, durable);
		try {
			const content = await readFrom(file, path, maxBytes);
			const size = content.lastIndexOf("\n") + 1;
			if (size < content.length) await file.truncate(size);
			await syncFolder(path);
			const lines = content.toString("utf8", 0, size).split("\n");
			return { journal: new Journal(path, file, size), records: lines.map(parseJson).filter(isRecord) };
		} catch (error) {
			await file.close();
			throw error;
		}
	}

	/** The size of the file in bytes. */
	get size(): number {
		return this.#size;
	}

	/** Resolves when the record is on disk. */
	append(record: R): Promise<void> {
		return this.#next(async () => {
			const line = `${JSON.stringify(record)}\n`;
			try {
				await this.#file.appendFile(line);
			} catch (error) {
				// Half a line would make the next one unreadable.
				await this.#file.truncate(this.#size);
				throw error;
			}
			this.#size += Buffer.byteLength(line);
		});
	}

	/**
	 * Replaces all records, completely or not at all.
	 * @param records It is called when everything that was appended before is on disk.
	 */
	rewrite(records: () => readonly R[]): Promise<void> {
		return this.#next(async () => {
			const content = records()
				.map((record) => `${JSON.stringify(record)}\n`)
				.join("");
			const former = this.#file;
			this.#file = await replaceOpen(this.#path, content, durable);
			this.#size = Buffer.byteLength(content);
			await former.close();
		});
	}

	/** Resolves when everything is on disk and the file is closed. */
	async close(): Promise<void> {
		await this.#next(() => this.#file.close());
	}

	#next<T>(step: () => Promise<T>): Promise<T> {
		const done = this.#last.then(step);
		this.#last = done.catch(() => {});
		return done;
	}
}
