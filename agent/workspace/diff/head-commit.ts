/** The commit a repository is on, as its files say it, so that git need not be started where they say it plainly. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readUntrusted } from "#shared/files/untrusted-file.ts";

const branchForm = /^ref: (refs\/heads\/(?!.*\.\.).+)\n$/;
const commitForm = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;
/** Neither of the files that are read is longer. */
const maxBytes = 4_096;

/** Undefined before the first one. */
export interface Head {
	readonly commit: string | undefined;
}

/**
 * @param folder The repository's own, `.git`.
 * @returns Undefined when it takes git to know: the branch is packed, or stands for another.
 */
export async function readHead(folder: string): Promise<Head | undefined> {
	try {
		const head = (await smallFile(join(folder, "HEAD"))) ?? "";
		const branch = branchForm.exec(head)?.[1];
		const tip = branch === undefined ? head : await smallFile(join(folder, branch));
		if (tip !== undefined) return commitForm.test(tip) ? { commit: tip.trimEnd() } : undefined;
		return (await isThere(join(folder, "packed-refs"))) ? undefined : { commit: undefined };
	} catch {
		return undefined;
	}
}

/** Undefined when there is none. @throws {UntrustedFileError} for anything but a small file. */
async function smallFile(path: string): Promise<string | undefined> {
	return (await readUntrusted(path, maxBytes))?.toString("utf8");
}

async function isThere(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		(error: NodeJS.ErrnoException) => error.code !== "ENOENT",
	);
}
