/** What `git ls-files -z -t --others --modified --deleted` prints: paths that differ from the index. Pure. */

export interface ListedPath {
	readonly path: string;
	/** Not in the index yet. */
	readonly isNew: boolean;
}

/** `<tag> <path>`, each ended by a null character; a path may come several times, and contain anything else. */
export function readListedPaths(output: string): ListedPath[] {
	const listed = new Map<string, ListedPath>();
	for (const entry of output.split("\0").slice(0, -1)) {
		const path = entry.slice(2);
		// A folder is a repository of its own; what is in it is its own business.
		if (entry.charAt(1) !== " " || path === "" || path.endsWith("/")) continue;
		const former = listed.get(path);
		listed.set(path, { path, isNew: entry.startsWith("?") && former?.isNew !== false });
	}
	return [...listed.values()];
}
