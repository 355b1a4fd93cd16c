/** Changed files whose content is not read, because there is too much of it: told apart by size and time. */

export interface UnreadFile {
	readonly path: string;
	/** Not in the index. */
	readonly isNew: boolean;
	/** Differs when the content may differ. */
	readonly stamp: string;
}

export interface UnreadChange {
	readonly path: string;
	readonly status: "new" | "mod" | "del";
}

export class UnreadFiles {
	#known = new Map<string, string>();

	/** Whether the file was among them at the last look. */
	has(path: string): boolean {
		return this.#known.has(path);
	}

	/** What has changed among them since the last look. @param found All there are now. @param read Files that are read now. */
	changes(found: readonly UnreadFile[], read: ReadonlySet<string>): UnreadChange[] {
		const before = this.#known;
		this.#known = new Map(found.map(({ path, stamp }) => [path, stamp]));
		const gone = [...before.keys()].filter((path) => !this.#known.has(path) && !read.has(path));
		return [
			...found
				.filter(({ path, stamp }) => before.get(path) !== stamp)
				.map(({ path, isNew }) => ({ path, status: isNew && !before.has(path) ? ("new" as const) : ("mod" as const) })),
			...gone.map((path) => ({ path, status: "del" as const })),
		];
	}
}
