/** Looks at the start for the programs without which no session can work, so that the first session is not the one to find out. */
import { delimiter } from "node:path";
import { programIn } from "#shared/base/files/program-in-folders.ts";

/** Returns a sentence about git when it is in none of the folders of the PATH; undefined when it is there. */
export async function missingGit(path: string): Promise<string | undefined> {
	if ((await programIn(path.split(delimiter), "git")) !== undefined) return undefined;
	return 'git is not installed, so that no session can start: install it (for example with "apt-get install git") and start again';
}
