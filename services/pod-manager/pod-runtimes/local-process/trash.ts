/**
 * Removes folders in two steps: they are renamed away at once and emptied later; after a kill in between, the next
 * process continues. One file operation at a time is under way, however much there is to remove, so that others are not
 * delayed.
 */
import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, opendir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { SingleFlight } from "#shared/single-flight.ts";

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

	/** Moves a folder to the trash; does nothing when it does not exist. */
	async discard(folder: string): Promise<void> {
		const target = join(this.#folder, `${basename(folder)}-${randomBytes(4).toString("hex")}`);
		// This or another process may remove the emptied trash between the two steps, and in the middle of the first.
		while (await lstat(folder).catch(unlessMissing)) {
			await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(unlessMissing);
			await rename(folder, target).catch(unlessMissing);
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
		const waiting = await readdir(this.#folder).catch((): string[] => []);
		for (let name = waiting.pop(); name !== undefined && !this.#signal?.aborted; name = waiting.pop()) {
			const { tries = 0 } = this.#failed.get(name) ?? {};
			if (tries >= maxTries) continue;
			try {
				await this.#remove(join(this.#folder, name), (inner) => waiting.push(inner));
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
	async #remove(path: string, onMoved: (name: string) => void): Promise<void> {
		const found = await lstat(path).catch(unlessMissing);
		if (!found) return;
		if (!found.isDirectory()) return unlink(path).catch(unlessMissing);
		// Some package managers leave read-only folders.
		if ((found.mode & 0o700) !== 0o700) await chmod(path, 0o700);
		let failure: unknown;
		for await (const entry of await opendir(path)) {
			if (this.#signal?.aborted) return;
			const inner = join(path, entry.name);
			const removing = entry.isDirectory() ? this.#moveUp(inner).then(onMoved) : unlink(inner);
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
	async #moveUp(folder: string): Promise<string> {
		const name = randomBytes(8).toString("hex");
		const target = join(this.#folder, name);
		await rename(folder, target).catch(async (error: NodeJS.ErrnoException) => {
			if (error.code !== "EACCES") throw error;
			await chmod(folder, 0o700);
			await rename(folder, target);
		});
		return name;
	}
}

function unlessMissing(error: unknown): undefined {
	if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
