/**
 * Removes folders so that they are gone from sight at once: renamed away, then emptied; a kill in between is made up for.
 * However much there is, one file operation at a time is under way, so that everybody else has theirs.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, opendir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { SingleFlight } from "#shared/single-flight.ts";

/** In the life of a process, for what could not be removed. */
const maxTries = 3;

interface Left {
	readonly tries: number;
	readonly cause: string;
}

export class Trash {
	readonly #folder: string;
	/** What could not be removed, by its name in the trash. */
	readonly #left = new Map<string, Left>();
	#signal: AbortSignal | undefined;
	readonly #emptying = new SingleFlight(() => this.#empty());

	/** @param folder Beside what is thrown away, on the same file system. */
	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Nothing happens when there is no such folder. */
	async discard(folder: string): Promise<void> {
		const target = join(this.#folder, `${basename(folder)}-${randomBytes(4).toString("hex")}`);
		// Whoever empties the trash, this process or another, may remove it between the two steps.
		while (existsSync(folder)) {
			await mkdir(this.#folder, { recursive: true, mode: 0o700 });
			await rename(folder, target).catch(unlessMissing);
		}
		void this.empty();
	}

	/**
	 * Removes what was thrown away, now and earlier, and the trash itself. What cannot be removed is out of sight, and tried
	 * again the next time, three times in all.
	 * @param signal From now on nothing is removed when it has aborted; the next process goes on.
	 */
	empty(signal = this.#signal): Promise<void> {
		this.#signal = signal;
		return this.#emptying.run();
	}

	/** A sentence about what cannot be removed; undefined when there is no such thing. */
	get trouble(): string | undefined {
		const [first] = this.#left;
		if (!first) return undefined;
		const [name, { cause }] = first;
		return `Cannot remove ${this.#left.size} folder(s) in "${this.#folder}", "${name}" among them: ${cause}`;
	}

	async #empty(): Promise<void> {
		const waiting = await readdir(this.#folder).catch((): string[] => []);
		for (let name = waiting.pop(); name !== undefined && !this.#signal?.aborted; name = waiting.pop()) {
			const { tries = 0 } = this.#left.get(name) ?? {};
			if (tries >= maxTries) continue;
			try {
				await this.#remove(join(this.#folder, name), (inner) => waiting.push(inner));
				this.#left.delete(name);
			} catch (error) {
				this.#left.set(name, { tries: tries + 1, cause: error instanceof Error ? error.message : String(error) });
			}
		}
		// Not when something was thrown away meanwhile.
		await rmdir(this.#folder).catch(() => {});
	}

	/** @param onMoved Hears of what was inside and is in the trash itself now. @throws {Error} when something stays. */
	async #remove(path: string, onMoved: (name: string) => void): Promise<void> {
		const found = await lstat(path).catch(unlessMissing);
		if (!found) return;
		if (!found.isDirectory()) return unlink(path).catch(unlessMissing);
		// Some package managers leave folders that are read-only.
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

	/** However deep folders lie in one another, their paths stay short. Returns its name in the trash. */
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
