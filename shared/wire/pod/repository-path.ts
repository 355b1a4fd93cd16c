/** Checks the folders of a session's repositories, and lists the folders inside others. Pure. */
import { pathBelow } from "./path-below.ts";

/** The folder of a repository has no character that a list of ignored files could read as a pattern. */
const plainPath = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/** The most repositories of one session. */
export const maxRepositories = 20;

/**
 * Returns the folder below the workspace in its shortest form; an empty text and "." are the workspace itself.
 * Undefined: the text cannot be the folder of a repository.
 */
export function repositoryPath(path: string): string | undefined {
	if (path === "" || path === ".") return "";
	const below = pathBelow(path);
	return below !== undefined && plainPath.test(below) ? below : undefined;
}

/** Returns a folder name for a repository that has none: the last part of its URL, e.g. `api` of `…/acme/api.git`. */
export function repositoryName(url: string): string | undefined {
	const parts = url.split(/[/:]/).filter((part) => part !== "" && part !== ".git");
	const last = parts.at(-1) ?? "";
	return repositoryPath(last.endsWith(".git") ? last.slice(0, -".git".length) : last) || undefined;
}

/** Returns those of the folders that are inside of `outer`, as paths below it. */
export function pathsInside(outer: string, paths: readonly string[]): string[] {
	const prefix = outer === "" ? "" : `${outer}/`;
	return paths.filter((path) => path !== outer && path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
