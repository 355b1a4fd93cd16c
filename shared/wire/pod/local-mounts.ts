/**
 * Checks folders of the host that sessions use as their workspace, or as a part of it. The same check runs before a
 * session is stored and at each of its launches.
 */
import { realpath, stat } from "node:fs/promises";
import { join, normalize } from "node:path";
import { repositoryPath } from "./repository-path.ts";

/** The most folders of one session. */
export const maxMounts = 20;

export interface MountRules {
	/** The folders below which (or at which) they have to be. */
	readonly allowed_prefixes: readonly string[];
	/** The folders that must not be reachable by them, e.g. the data of the platform. */
	readonly refused: readonly string[];
}

/** The real folder, or a sentence about a folder that cannot be used. */
export type RealMount = { readonly folder: string } | { readonly refused: string };

/** The workspace as containers name it; a path without it is below the workspace too. */
const workspaceName = "/workspace";

/**
 * Returns the place below the workspace of a path in a container, e.g. `api` of `/workspace/api` and of `/api`; an empty
 * text is the workspace itself. Undefined: the path cannot be used.
 */
export function mountPlace(path: string): string | undefined {
	if (!path.startsWith("/") || path.split("/").includes("..")) return undefined;
	const isBelow = path === workspaceName || path.startsWith(`${workspaceName}/`);
	return repositoryPath(path.slice(isBelow ? workspaceName.length : 0).replace(/^\/{1,100}/, ""));
}

/**
 * Finds the folder behind all symbolic links. Whether a folder outside of the allowed ones exists is not told.
 * @param isCopied Whether the session gets a copy, which must not lead back to the original.
 */
export async function realMount(path: string, rules: MountRules, isCopied = false): Promise<RealMount> {
	const found = await allowedFolder(path, rules);
	if ("refused" in found || !isCopied || !(await hasGitFile(found.folder))) return found;
	return {
		refused: `The folder "${path.slice(0, 200)}" is a linked git work tree or a submodule, and commits in a copy would change the original's repository; let the session use the folder itself (read_only: false), or clone the repository`,
	};
}

async function hasGitFile(folder: string): Promise<boolean> {
	const found = await stat(join(folder, ".git")).catch(() => undefined);
	return found?.isFile() === true;
}

async function allowedFolder(path: string, { allowed_prefixes, refused }: MountRules): Promise<RealMount> {
	const shown = path.slice(0, 200);
	const written = withoutSlash(normalize(path));
	if (!path.startsWith("/") || path.includes("\0") || path.split("/").includes(".."))
		return { refused: `The folder "${shown}" has to be an absolute path without ".."` };
	const outside = {
		refused: `The folder "${shown}" is not below one of the allowed folders (git.local_mounts.allowed_prefixes)`,
	};
	if (!allowed_prefixes.some((prefix) => isAtOrBelow(written, withoutSlash(normalize(prefix))))) return outside;
	const folder = await realpath(written).catch(() => undefined);
	const prefixes = await Promise.all(allowed_prefixes.map((prefix) => realpath(prefix).catch(() => undefined)));
	if (folder !== undefined && !prefixes.some((prefix) => prefix !== undefined && isAtOrBelow(folder, prefix)))
		return outside;
	if (folder === undefined || !(await stat(folder)).isDirectory())
		return { refused: `There is no folder "${shown}" on this machine` };
	const protectedFolders = await Promise.all(refused.map((one) => realpath(one).catch(() => one)));
	if (protectedFolders.some((one) => isAtOrBelow(folder, one) || isAtOrBelow(one, folder)))
		return { refused: `The folder "${shown}" holds data of the platform, which no session may use` };
	return { folder };
}

function isAtOrBelow(path: string, folder: string): boolean {
	return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

function withoutSlash(path: string): string {
	return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
