/** Watches all work trees of a workspace: the changes of each look as one list, with paths below the workspace. */
import { NoRepositoryError } from "../workspace/diff/diff-errors.ts";
import type { WorkTree } from "../workspace/work-tree.ts";
import { type Changes, type WatchPlace, WorkspaceWatch } from "./workspace-watch.ts";

/** The commits of work trees by their paths; those without a commit are missing. */
export type Heads = Readonly<Record<string, string>>;

/** The owner closes it, which removes what the watches have stored. */
export class WatchedTrees {
	readonly #watches: readonly WorkspaceWatch[];

	private constructor(watches: readonly WorkspaceWatch[]) {
		this.#watches = watches;
	}

	/**
	 * Takes the first look. A tree that a setup script has removed is not watched. @throws {NoRepositoryError} if there is
	 * none; {Error} with git's own words.
	 */
	static async open(trees: readonly WorkTree[], place: WatchPlace): Promise<WatchedTrees> {
		const watches: WorkspaceWatch[] = [];
		let missing: unknown;
		try {
			for (const tree of trees) {
				const watch = await WorkspaceWatch.open(tree, place).catch((error: unknown) => {
					if (!(error instanceof NoRepositoryError)) throw error;
					missing = error;
				});
				if (watch) watches.push(watch);
			}
			if (watches.length === 0 && missing !== undefined) throw missing;
			return new WatchedTrees(watches);
		} catch (error) {
			await Promise.all(watches.map((watch) => watch.close()));
			throw error;
		}
	}

	get heads(): Heads {
		return Object.fromEntries(this.#watches.flatMap(({ path, head }) => (head === undefined ? [] : [[path, head]])));
	}

	/** Takes a look. @throws {Error} with git's own words. */
	look(): Promise<Changes> {
		return this.#collect((watch) => watch.look());
	}

	/** Returns what had changed at the last look since these commits. @throws {Error} with git's own words. */
	since(heads: Heads): Promise<Changes> {
		return this.#collect((watch) => watch.since(heads[watch.path]));
	}

	async close(): Promise<void> {
		await Promise.all(this.#watches.map((watch) => watch.close()));
	}

	/** Asks one watch after the other, because git uses the disk and all processors. */
	async #collect(ask: (watch: WorkspaceWatch) => Promise<Changes>): Promise<Changes> {
		const all: Changes[] = [];
		for (const watch of this.#watches) all.push(await ask(watch));
		const commits = all.flatMap((changes) => changes.commits);
		return {
			files: all.flatMap((changes) => changes.files),
			commits: commits.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
		};
	}
}
