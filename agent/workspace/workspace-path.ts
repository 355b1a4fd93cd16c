/** Checks paths below the workspace. Users write them and the platform follows them, so they must not lead outside. */
import { lstat, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { pathBelow } from "#shared/wire/pod/path-below.ts";

/**
 * Returns the folder that `path` names when it exists and is really inside, after symbolic links are followed. An
 * empty path names the workspace itself.
 */
export async function folderBelow(workspace: string, path: string): Promise<string | undefined> {
	if (path === "") return workspace;
	const below = pathBelow(path);
	if (below === undefined) return undefined;
	const [inside, real] = await Promise.all([realpath(workspace), realpath(join(workspace, below)).catch(() => "")]);
	const way = relative(inside, real);
	if (real === "" || way.startsWith("..") || !(await stat(real)).isDirectory()) return undefined;
	return join(workspace, below);
}

/** Whether no existing part of `path` is a symbolic link. */
export async function isFreeOfLinks(workspace: string, path: string): Promise<boolean> {
	const parts = path.split(sep);
	for (let depth = 1; depth <= parts.length; depth++) {
		const found = await lstat(join(workspace, ...parts.slice(0, depth))).catch(() => undefined);
		if (!found) return true;
		if (!found.isDirectory()) return false;
	}
	return true;
}
