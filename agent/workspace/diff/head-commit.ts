/** Reads the commit of a repository from its files, so that git is started only when they do not name it directly. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";

const branchForm = /^ref: (refs\/heads\/(?!.*\.\.).+)\n$/;
const commitForm = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/;
/** The bound on each file that is read. */
const maxBytes = 4_096;

/** The state of `HEAD`; its commit is undefined before the first one. */
export interface Head {
	readonly commit: string | undefined;
}

/**
 * @param folder The `.git` folder of the repository.
 * @returns Undefined when only git can tell: the branch is packed, or it is a reference to another.
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

/** Returns undefined when there is no such file. @throws {UntrustedFileError} for anything but a small file. */
async function smallFile(path: string): Promise<string | undefined> {
	return (await readUntrusted(path, maxBytes))?.toString("utf8");
}

async function isThere(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		(error: NodeJS.ErrnoException) => error.code !== "ENOENT",
	);
}
