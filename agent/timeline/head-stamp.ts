/** What the files of a repository say of the commit it is on, so that git is started only when they say something new. */
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";

const branchForm = /^ref: (refs\/heads\/.+)\n$/;
const commitForm = /^[0-9a-f]{40,64}\n$/;
/** Neither of the files that are read is longer. */
const maxBytes = 4_096;

/**
 * As long as it is the same, so is the commit.
 * @param folder The repository's own, `.git`.
 * @returns Undefined when it takes git to know.
 */
export async function headStamp(folder: string): Promise<string | undefined> {
	try {
		const head = (await smallFile(join(folder, "HEAD"))) ?? "";
		const branch = branchForm.exec(head)?.[1];
		if (branch === undefined) return commitForm.test(head) ? head : undefined;
		const tip = await smallFile(join(folder, branch));
		if (tip === undefined) return head + (await packedStamp(folder));
		return commitForm.test(tip) ? head + tip : undefined;
	} catch {
		return undefined;
	}
}

/** Of the branches that have no file of their own; the file is only ever replaced. */
async function packedStamp(folder: string): Promise<string> {
	const found = await lstat(join(folder, "packed-refs"), { bigint: true }).catch(unlessAbsent);
	return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "none";
}

/** Undefined when there is none. @throws {Error} for anything but a small file: reading a pipe may never end. */
async function smallFile(path: string): Promise<string | undefined> {
	const found = await lstat(path).catch(unlessAbsent);
	if (!found) return undefined;
	if (!found.isFile() || found.size > maxBytes) throw new Error(`"${path}" is no small file`);
	return readFile(path, "utf8");
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
	if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
	return undefined;
}
