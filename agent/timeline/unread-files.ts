/** Changed files that are too large or too many to be read. Size and time show whether they change. Pure. */
import type { ChangedFile } from "#shared/wire/pod/changed-files.ts";

/** A file whose content is not read. */
export interface UnreadFile {
	readonly path: string;
	/** The file is not in the index. */
	readonly isNew: boolean;
	/** The stamp is different when the content may be different. */
	readonly stamp: string;
}

export class UnreadFiles {
	#known = new Map<string, string>();

	/**
	 * Returns what has changed since the last look.
	 * @param found All unread files. @param read The files whose content is read at this look.
	 */
	changes(found: readonly UnreadFile[], read: ReadonlySet<string>): Pick<ChangedFile, "path" | "status">[] {
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
