/** Gives folders of the platform to the user of sessions, which nobody else has. */
import { lchown } from "node:fs/promises";
import { entriesOf } from "../local-process/folder-entries.ts";

export class FolderOwner {
	readonly #user: number;

	constructor(user: number) {
		this.#user = user;
	}

	/** Changes the owner of the folder and of all that it holds, without following links. */
	async give(path: string | Buffer): Promise<void> {
		await lchown(path, this.#user, this.#user);
		for await (const entry of entriesOf(path)) {
			if (entry.isDirectory) await this.give(entry.path);
			else await lchown(entry.path, this.#user, this.#user);
		}
	}
}
