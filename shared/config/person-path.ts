/** Finds the PATH of the person who started the platform behind the one that npm made of it. Pure. */
import { delimiter, join, sep } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/**
 * Returns the PATH without what npm and npx put before it: the programs of the packages from the project's folder up to
 * the root, of this project too, and the folder of `node-gyp`, which is the last one.
 */
export function pathOfPerson(path: string, root: string = projectRoot): string {
	const folders = path.split(delimiter);
	const added = folders.findLastIndex((folder) => folder.endsWith(`${sep}node-gyp-bin`));
	const own = new Set(ancestors(root).map((folder) => join(folder, "node_modules/.bin")));
	const isPersons = (folder: string, index: number): boolean =>
		!own.has(folder) && (index > added || !/[/\\](node_modules[/\\]\.bin|node-gyp-bin)$/.test(folder));
	return folders.filter(isPersons).join(delimiter);
}

function ancestors(folder: string): string[] {
	const parts = folder.split(sep);
	return parts.map((_, index) => parts.slice(0, index + 1).join(sep) || sep);
}
