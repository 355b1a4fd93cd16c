/** Finds a program as a shell finds it in the folders of a PATH. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";

/** Returns the path of the first executable file with that name; undefined when no folder has one. */
export async function programIn(folders: readonly string[], name: string): Promise<string | undefined> {
	for (const folder of folders) {
		const file = resolve(folder, name);
		const isThere = await access(file, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (isThere) return file;
	}
	return undefined;
}
