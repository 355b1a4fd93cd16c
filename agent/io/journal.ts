/** A file of JSON records, one per line, that only grows; what was appended is on disk. */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openUntrusted, readFrom } from "#shared/files/untrusted-file.ts";
import { replaceOpen, syncFolder } from "#shared/files/replaced-file.ts";

const { O_RDWR, O_CREAT, O_APPEND, O_DSYNC } = constants;
/** A write is over when its bytes are on disk: one way to the threads that write, and back, instead of two. */
const durable = O_RDWR | O_CREAT | O_APPEND | O_DSYNC;

/** Several times what any of those who keep one lets it grow to. */
const maxBytes = 256 * 1_048_576;

export class Journal {
	readonly #path: string;
	#file: FileHandle;
	#size: number;
	/** Appends one after the other; it never rejects. */
	#last: Promise<unknown> = Promise.resolve();

	private constructor(path: string, file: FileHandle, size: number) {
		this.#path = path;
		this.#file = file;
		this.#size = size;
	}

	/**
	 * Opens or creates the file and tells what it holds. A line without an end, left by a crash in the middle of an
	 * append, was never promised to anybody and is cut off; one that is no JSON is left out.
	 * @throws {UntrustedFileError} when something else has its name, or it is far too long.
	 */
	static async open(path: string): Promise<{ journal: Journal; records: unknown[] }> {
		const file = await openUntrusted(path, durable);
		try {
			const content = await readFrom(file, path, maxBytes);
			const size = content.lastIndexOf("\n") + 1;
			if (size < content.length) await file.truncate(size);
			await syncFolder(path);
			const lines = content.toString("utf8", 0, size).split("\n");
			return { journal: new Journal(path, file, size), records: lines.flatMap(parse) };
		} catch (error) {
			await file.close();
			throw error;
		}
	}

	/** Bytes of the file. */
	get size(): number {
		return this.#size;
	}

	/** Resolves when the record is on disk. */
	append(record: object): Promise<void> {
		return this.#next(async () => {
			const line = `${JSON.stringify(record)}\n`;
			try {
				await this.#file.appendFile(line);
			} catch (error) {
				// Half a line would spoil the next one.
				await this.#file.truncate(this.#size);
				throw error;
			}
			this.#size += Buffer.byteLength(line);
		});
	}

	/**
	 * Puts other records in place of all there are, at once or not at all.
	 * @param records Asked when everything appended before is on disk.
	 */
	rewrite(records: () => readonly object[]): Promise<void> {
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

function parse(line: string): unknown[] {
	try {
		return line === "" ? [] : [JSON.parse(line)];
	} catch {
		return [];
	}
}
