/** A folder that is restored beside its place, and takes it as a whole. */
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "#shared/base/files/new-folder.ts";
import { syncFolder } from "#shared/base/files/replaced-file.ts";
import { ArchiveError } from "./archive-format.ts";
import { asideName, restoringFolder } from "./installation.ts";

export class PlacedFolder {
	readonly #target: string;
	/** The folder that is filled. */
	readonly path: string;
	#wasThere = false;

	constructor(target: string) {
		this.#target = target;
		this.path = restoringFolder(target);
	}

	/** @throws {ArchiveError} when the place has something. */
	async refusePresent(): Promise<void> {
		const present = existsSync(this.#target) ? await readdir(this.#target) : [];
		if (present.length > 0) throw new ArchiveError(`"${this.#target}" is not empty; with --force it is moved aside`);
	}

	/** Makes the empty folder beside. */
	async begin(): Promise<void> {
		this.#wasThere = existsSync(this.path);
		makeFolder(dirname(this.#target));
		await this.#empty();
	}

	/** Puts the folder into its place; what was there is moved aside. Returns where to. */
	async place(stamp: string): Promise<string | undefined> {
		const present = existsSync(this.#target) ? await readdir(this.#target) : [];
		const aside = present.length > 0 ? asideName(this.#target, stamp) : undefined;
		if (aside !== undefined) await rename(this.#target, aside);
		await rename(this.path, this.#target);
		await syncFolder(this.#target);
		return aside;
	}

	/** Removes what was filled. The folder of an earlier restore stays, because it says that one has not finished. */
	async discard(): Promise<void> {
		if (this.#wasThere) await this.#empty();
		else await rm(this.path, { recursive: true, force: true });
	}

	async #empty(): Promise<void> {
		await rm(this.path, { recursive: true, force: true });
		await mkdir(this.path, { mode: 0o700 });
	}
}
