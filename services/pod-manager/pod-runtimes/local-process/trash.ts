/** Removes folders so that they are gone from sight at once: renamed away, then emptied; a kill in between is made up for. */
import { existsSync } from "node:fs";
import { chmod, mkdir, opendir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";

export class Trash {
	readonly #folder: string;
	#emptying: Promise<void> | undefined;

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

	/** Removes what was thrown away, now and earlier, and the trash itself. What cannot be removed is out of sight and tried again the next time. */
	async empty(): Promise<void> {
		while (this.#emptying) await this.#emptying;
		this.#emptying = this.#empty();
		await this.#emptying;
	}

	async #empty(): Promise<void> {
		const names = await readdir(this.#folder).catch(() => []);
		for (const name of names) await removeTree(join(this.#folder, name)).catch(() => {});
		// Not when something was thrown away meanwhile.
		await rmdir(this.#folder).catch(() => {});
		this.#emptying = undefined;
	}
}

function unlessMissing(error: unknown): void {
	if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

/** Also folders that are read-only, as some package managers leave them. */
async function removeTree(path: string): Promise<void> {
	try {
		await rm(path, { recursive: true, force: true });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
		await makeWritable(path);
		await rm(path, { recursive: true, force: true });
	}
}

async function makeWritable(folder: string): Promise<void> {
	await chmod(folder, 0o700);
	for await (const entry of await opendir(folder)) {
		if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
	}
}
