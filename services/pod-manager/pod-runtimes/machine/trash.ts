/**
 * Removes folders in two steps: they are renamed away at once and emptied later; after a kill in between, the next
 * process continues. One file operation at a time is under way, however much there is to remove, so that others are not
 * delayed.
 */
import { randomBytes } from "node:crypto";
import { lstat, mkdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { entriesOf, makeWritable, namesIn, pathIn, unlessMissing } from "./folder-entries.ts";

/** The most characters of a name in the trash beside the random part. */
const maxName = 100;
/** The most attempts of one process for a folder that cannot be removed. */
const maxTries = 3;

interface FailedRemoval {
	readonly tries: number;
	readonly cause: string;
}

/** One trash folder. Its owner empties it at the start and after each removal. */
export class Trash {
	readonly #folder: string;
	/** Folders that could not be removed, by their names in the trash. */
	readonly #failed = new Map<string, FailedRemoval>();
	#signal: AbortSignal | undefined;
	readonly #emptying = new SingleFlight(() => this.#empty());

	/** @param folder The trash, which must be on the same file system as the removed folders. */
	constructor(folder: string) {
		this.#folder = folder;
	}

	/**
	 * Moves a folder or a file to the trash; does nothing when it does not exist.
	 * @throws {Error} whose sentence names only what is to be removed, so that a repeated failure is logged once.
	 */
	async discard(path: string | Buffer): Promise<void> {
		const name = basename(path.toString())
			.replaceAll(/[^\w-]/g, "")
			.slice(0, maxName);
		const target = join(this.#folder, `${name}-${randomBytes(4).toString("hex")}`);
		// This or another process may remove the emptied trash between the two steps, and in the middle of the first.
		while (await lstat(path).catch(unlessMissing)) {
			await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(unlessMissing);
			await moved(path, target).catch((error: NodeJS.ErrnoException) => {
				if (error.code === "ENOENT") return;
				throw new Error(`"${path.toString()}" cannot be moved to the trash (${error.code})`, { cause: error });
			});
		}
		void this.empty();
	}

	/**
	 * Removes the content of the trash and the trash itself. A folder that cannot be removed stays out of sight and is
	 * tried again, three times in all.
	 * @param signal Nothing is removed after it has aborted; the next process continues.
	 */
	empty(signal = this.#signal): Promise<void> {
		this.#signal = signal;
		return this.#emptying.run();
	}

	/** A sentence about folders that cannot be removed; undefined when there are none. */
	get trouble(): string | undefined {
		const [first] = this.#failed;
		if (!first) return undefined;
		const [name, { cause }] = first;
		return `Cannot remove ${this.#failed.size} folder(s) in "${this.#folder}", "${name}" among them: ${cause}`;
	}

	async #empty(): Promise<void> {
		const waiting = await namesIn(this.#folder).catch((): string[] => []);
		for (let name = waiting.pop(); name !== undefined && !this.#signal?.aborted; name = waiting.pop()) {
			const { tries = 0 } = this.#failed.get(name) ?? {};
			if (tries >= maxTries) continue;
			try {
				await this.#remove(pathIn(this.#folder, Buffer.from(name, "latin1")), (inner) => waiting.push(inner));
				this.#failed.delete(name);
			} catch (error) {
				this.#failed.set(name, { tries: tries + 1, cause: error instanceof Error ? error.message : String(error) });
			}
		}
		// This fails, as intended, when a folder was moved to the trash meanwhile.
		await rmdir(this.#folder).catch(() => {});
	}

	/**
	 * Removes a path. @param onMoved Receives the names of inner folders that were moved to the trash itself. @throws
	 * {Error} when something remains.
	 */
	async #remove(path: Buffer, onMoved: (name: string) => void): Promise<void> {
		const found = await lstat(path).catch(unlessMissing);
		if (!found) return;
		if (!found.isDirectory()) return unlink(path).catch(unlessMissing);
		// Some package managers leave read-only folders.
		await makeWritable(path);
		let failure: unknown;
		for await (const { path: inner, isDirectory } of entriesOf(path)) {
			if (this.#signal?.aborted) return;
			const removing = isDirectory ? this.#moveUp(inner).then(onMoved) : unlink(inner);
			await removing.catch((error: unknown) => (failure ??= error));
		}
		await rmdir(path).catch((error: unknown) => {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw failure ?? error;
		});
	}

	/**
	 * Moves a folder up into the trash, so that paths stay short however deep folders are nested. Returns its name in
	 * the trash.
	 */
	async #moveUp(folder: Buffer): Promise<string> {
		const name = randomBytes(8).toString("hex");
		await moved(folder, join(this.#folder, name));
		return name;
	}
}

/** Moves a path. A folder has to be writable for that, because its entry for the folder above changes. */
async function moved(path: string | Buffer, target: string): Promise<void> {
	await rename(path, target).catch(async (error: NodeJS.ErrnoException) => {
		if (error.code !== "EACCES") throw error;
		await makeWritable(path);
		await rename(path, target);
	});
}
