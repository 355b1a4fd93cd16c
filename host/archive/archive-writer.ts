/** Writes an archive: completely or not at all, for its owner only, with a bounded part of it in memory. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, type WriteStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { finished } from "node:stream/promises";
import { createGzip, type Gzip } from "node:zlib";
import { syncFolder } from "#shared/base/files/replaced-file.ts";
import {
	ArchiveError,
	type ArchiveHeader,
	type ArchiveManifest,
	lineOf,
	maxArchiveBytes,
	maxLineBytes,
} from "./archive-format.ts";
import { RunningSums } from "./section-sums.ts";

/** The bytes that are compressed at once. */
const chunkBytes = 64 * 1024;

/** A new archive. Without `finish`, disposing of it removes what was written. */
export class ArchiveWriter implements AsyncDisposable {
	readonly #path: string;
	readonly #draft: string;
	readonly #file: FileHandle;
	readonly #output: WriteStream;
	readonly #gzip: Gzip = createGzip();
	readonly #written: Promise<void>;
	readonly #sections = new Map<string, RunningSums>();
	#section = "";
	#sums = new RunningSums();
	#waiting: string[] = [];
	#waitingBytes = 0;
	#bytes = 0;
	#isFinished = false;

	private constructor(path: string, draft: string, file: FileHandle) {
		this.#path = path;
		this.#draft = draft;
		this.#file = file;
		this.#output = file.createWriteStream({ autoClose: false });
		this.#written = finished(this.#gzip.pipe(this.#output));
		// The failure is reported by the next write.
		this.#written.catch(() => {});
		this.#output.on("error", (error) => this.#gzip.destroy(error));
		this.#gzip.on("error", () => {});
	}

	/** @throws {ArchiveError} when there is such a file already, or it cannot be made. */
	static async create(path: string, header: ArchiveHeader): Promise<ArchiveWriter> {
		if (existsSync(path)) throw new ArchiveError(`"${path}" exists already; choose another name`);
		const folder = dirname(path);
		if (!existsSync(folder)) throw new ArchiveError(`Cannot write "${path}": the folder "${folder}" does not exist`);
		const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
		const file = await open(draft, "wx", 0o600).catch((cause: Error) => {
			throw new ArchiveError(`Cannot write "${path}": ${cause.message}`, { cause });
		});
		const writer = new ArchiveWriter(path, draft, file);
		await writer.#write(lineOf("archive", header));
		return writer;
	}

	/** Begins a section; its name is used once. */
	section(name: string): void {
		if (this.#sections.has(name)) throw new TypeError(`The section "${name}" was written already`);
		this.#section = name;
		this.#sums = new RunningSums();
		this.#sections.set(name, this.#sums);
	}

	/** Adds an entry to the section. @throws {ArchiveError} for one that no reader takes. */
	async entry(value: unknown): Promise<void> {
		const line = lineOf(this.#section, value);
		if (line.length > maxLineBytes / 4 && Buffer.byteLength(line) > maxLineBytes)
			throw new ArchiveError(`An entry of "${this.#section}" has more than ${maxLineBytes} bytes`);
		this.#sums.add(line);
		await this.#write(line);
	}

	/** The count of entries in the present section. */
	get entries(): number {
		return this.#sums.entries;
	}

	/** Writes the manifest, and resolves to it when all is on disk under the file's name. */
	async finish(missing: string[]): Promise<ArchiveManifest> {
		const sums = [...this.#sections].map(([name, running]) => [name, running.end()] as const);
		const manifest = { sections: Object.fromEntries(sums), missing };
		await this.#write(lineOf("manifest", manifest));
		await this.#flush();
		this.#gzip.end();
		await this.#written;
		await this.#file.sync();
		await rename(this.#draft, this.#path);
		await syncFolder(this.#path);
		this.#isFinished = true;
		return manifest;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (!this.#isFinished) this.#gzip.destroy();
		this.#output.destroy();
		await this.#file.close().catch(() => {});
		if (!this.#isFinished) await rm(this.#draft, { force: true });
	}

	async #write(line: string): Promise<void> {
		this.#waiting.push(line);
		this.#waitingBytes += line.length;
		if (this.#waitingBytes >= chunkBytes) await this.#flush();
	}

	async #flush(): Promise<void> {
		const chunk = Buffer.from(this.#waiting.join(""));
		this.#waiting = [];
		this.#waitingBytes = 0;
		this.#bytes += chunk.length;
		if (this.#bytes > maxArchiveBytes) throw new ArchiveError(`An archive has at most ${maxArchiveBytes} bytes`);
		if (this.#gzip.destroyed) await this.#written;
		if (this.#gzip.write(chunk)) return;
		await Promise.race([once(this.#gzip, "drain"), this.#written]);
	}
}
