/** Reads the YAML files of one folder. Each is read again when it has changed, and one that cannot be read takes no other one with it. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

const maxFiles = 500;
const maxFileBytes = 256 * 1024;

/** Makes something of the content of a file. */
export interface FileReader<T> {
	readonly read: (file: string, text: string) => T;
	/** Makes what stands for a file that cannot be used. */
	readonly refuse: (file: string, mistake: string) => T;
}

interface Cached<T> {
	/** The state of the file that was read: its times, size and number. */
	readonly state: string;
	readonly content: T | undefined;
}

export class YamlFolder<T> {
	readonly #folder: string;
	readonly #reader: FileReader<T>;
	#files: ReadonlyMap<string, Cached<T>> = new Map();
	#isMissing = false;

	/** @param folder A folder that does not exist has no files. */
	constructor(folder: string, reader: FileReader<T>) {
		this.#folder = folder;
		this.#reader = reader;
	}

	/** Returns a sentence when there was no folder at the last reading. @param key The key of the configuration that names it. */
	missing(key: string): string[] {
		return this.#isMissing ? [`There is no folder "${this.#folder}" (${key})`] : [];
	}

	/** Returns what the files contain now, by their names in order. @throws {Error} when the folder cannot be read. */
	async contents(): Promise<ReadonlyMap<string, T>> {
		const found = await readdir(this.#folder).catch(absent);
		this.#isMissing = found === undefined;
		const names = found ?? [];
		const files = names.filter((name) => /\.ya?ml$/.test(name)).sort();
		const read = files.slice(0, maxFiles);
		const cached = await Promise.all(read.map((file) => this.#read(file)));
		this.#files = new Map(cached.map((content, index) => [read[index] ?? "", content]));
		const contents = new Map<string, T>();
		for (const [file, { content }] of this.#files) if (content !== undefined) contents.set(file, content);
		for (const file of files.slice(maxFiles))
			contents.set(file, this.#reader.refuse(file, `there are more than ${maxFiles} files`));
		return contents;
	}

	async #read(file: string): Promise<Cached<T>> {
		const { read, refuse } = this.#reader;
		try {
			const { mtimeMs, ctimeMs, size, ino } = await stat(join(this.#folder, file));
			const state = [mtimeMs, ctimeMs, size, ino].join();
			const cached = this.#files.get(file);
			if (cached?.state === state) return cached;
			if (size > maxFileBytes) return { state, content: refuse(file, `it is larger than ${maxFileBytes} bytes`) };
			return { state, content: read(file, await readFile(join(this.#folder, file), "utf8")) };
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			// A file that was removed since the folder was read is none.
			if (code === "ENOENT") return { state: "", content: undefined };
			return { state: "", content: refuse(file, `it cannot be read (${code ?? "unknown error"})`) };
		}
	}
}

function absent(error: NodeJS.ErrnoException): undefined {
	if (error.code !== "ENOENT") throw error;
}
