/** Reads the paths that differ from the index: `git ls-files -z -t --others --modified --deleted`. Pure. */

/** A path that differs from the index. */
export interface ListedPath {
	readonly path: string;
	/** The path is not in the index yet. */
	readonly isNew: boolean;
}

/** Reads entries `<tag> <path>`, each with a null character at its end. A path may occur several times. */
export function readListedPaths(output: string): ListedPath[] {
	const listed = new Map<string, ListedPath>();
	for (const entry of output.split("\0").slice(0, -1)) {
		const path = entry.slice(2);
		// A path that ends in a slash is a repository of its own, which is not part of this one.
		if (entry.charAt(1) !== " " || path === "" || path.endsWith("/")) continue;
		const former = listed.get(path);
		listed.set(path, { path, isNew: entry.startsWith("?") && former?.isNew !== false });
	}
	return [...listed.values()];
}
