/** Looks at the start for the programs without which no session can work, so that the first session is not the one to find out. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Returns a sentence about git when it is in none of the folders of the PATH; undefined when it is there. */
export async function missingGit(path: string): Promise<string | undefined> {
	const tries = path.split(delimiter).map((folder) => access(join(folder, "git"), constants.X_OK));
	return Promise.any(tries).then(
		() => undefined,
		() =>
			'git is not installed, so that no session can start: install it (for example with "apt-get install git") and start again',
	);
}
