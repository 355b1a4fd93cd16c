/**
 * Finds the git folders of a work tree. Those of a folder of the host may be elsewhere: the `.git` of a linked work tree and of a
 * submodule is a file that names them (gitrepository-layout(5)). In a clone of the platform nobody but a session makes such a file,
 * and it is not followed.
 */
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import type { WorkTree } from "../work-tree.ts";

const fileForm = /^gitdir: (.+)\n?$/;
const maxBytes = 4_096;

/** The folder with `HEAD` and the index of the work tree, and the one with what all work trees of the repository share. */
export interface GitFolders {
	readonly own: string;
	readonly common: string;
}

export async function gitFoldersOf({ folder, isOfHost = false }: WorkTree): Promise<GitFolders> {
	const usual = join(folder, ".git");
	const [, named] = (isOfHost && fileForm.exec(await textOf(usual))) || [];
	if (named === undefined) return { own: usual, common: usual };
	const own = resolve(await realpath(folder), named);
	return { own, common: resolve(own, (await textOf(join(own, "commondir"))).trimEnd()) };
}

/** Returns the text of a small file; empty when there is none. */
async function textOf(path: string): Promise<string> {
	return String((await readUntrusted(path, maxBytes).catch(() => undefined)) ?? "");
}
