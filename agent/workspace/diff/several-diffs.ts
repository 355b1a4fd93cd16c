/** Finds what has changed in a workspace of several repositories: one answer with the changes of all work trees. */
import type { DiffFileList, DiffPatch, FileDiff } from "#shared/contracts/sessions/session-diff.ts";
import { bound } from "#shared/base/bounds.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { fitFileList } from "#shared/wire/pod/changed-files.ts";
import { cutPatch, fitPatch, maxOmitted } from "#shared/wire/pod/diff-output.ts";
import { pathBelow } from "#shared/wire/pod/path-below.ts";
import { maxRepositories } from "#shared/wire/pod/repository-path.ts";
import type { WorkTree } from "../work-tree.ts";
import { NoRepositoryError } from "./diff-errors.ts";
import { diffQueue } from "./diff-queue.ts";
import { type Comparison, type DiffPlace, maxStoredPatchBytes, WorkspaceDiff } from "./workspace-diff.ts";

type TreesPlace = Pick<DiffPlace, "scratch" | "git" | "permissionFiles">;

/** Returns the comparison of these trees. @param trees At least one; outer ones before inner ones. */
export function compareTrees(trees: readonly WorkTree[], place: TreesPlace): Comparison {
	const [only, ...others] = trees;
	return only && others.length === 0 ? new WorkspaceDiff(only, place) : new SeveralDiffs(trees, place);
}

interface ComparedTree {
	readonly path: string;
	readonly diff: WorkspaceDiff;
}

export class SeveralDiffs implements Comparison {
	readonly #trees: readonly ComparedTree[];

	constructor(trees: readonly WorkTree[], place: TreesPlace) {
		// A question is about all trees.
		const queue = diffQueue(bound.waitingDiffsOfPod * (maxRepositories + 1));
		this.#trees = trees.map((tree) => ({
			path: tree.path,
			diff: new WorkspaceDiff(tree, { ...place, queue, isOneOfSeveral: true }),
		}));
	}

	async files(base: string): Promise<DiffFileList> {
		const lists = await this.#all((diff) => diff.files(base));
		const list = fitFileList(
			lists.flatMap(({ files }) => files),
			answerBytes,
		);
		return lists.some(({ truncated }) => truncated) ? { ...list, truncated: true } : list;
	}

	/** The innermost tree that has the path answers; one that is no repository any more leaves this to the tree around it. */
	async file(file: string, base: string): Promise<FileDiff> {
		const path = pathBelow(file) ?? file;
		const holders = this.#trees.filter((tree) => tree.path === "" || path.startsWith(`${tree.path}/`));
		for (const { diff } of holders.slice(1).reverse()) {
			const found = await orMissing(diff.file(file, base));
			if (found !== undefined) return found;
		}
		const [{ diff }] = holders as [ComparedTree];
		return diff.file(file, base);
	}

	async patch(base: string): Promise<DiffPatch> {
		return joined(await this.#all((diff) => diff.patch(base)), answerBytes);
	}

	async wholePatch(base: string): Promise<DiffPatch> {
		return joined(await this.#all((diff) => diff.wholePatch(base)), maxStoredPatchBytes, cutPatch);
	}

	/** Asks all trees; those that are no repositories any more have no answer. @throws {NoRepositoryError} if none is. */
	async #all<T>(ask: (diff: WorkspaceDiff) => Promise<T>): Promise<T[]> {
		const answers = await Promise.all(this.#trees.map(({ diff }) => orMissing(ask(diff))));
		const found = answers.filter((answer) => answer !== undefined);
		if (found.length === 0) throw new NoRepositoryError("The workspace has no git repository");
		return found;
	}
}

async function orMissing<T>(asked: Promise<T>): Promise<T | undefined> {
	return asked.catch((error: unknown) => {
		if (error instanceof NoRepositoryError) return undefined;
		throw error;
	});
}

function joined(patches: readonly DiffPatch[], limit: number, fit: typeof fitPatch = fitPatch): DiffPatch {
	const whole = fit(patches.map((one) => one.patch).join(""), false, limit);
	const omitted = [...patches, whole].flatMap((one) => one.omitted ?? []).slice(0, maxOmitted);
	return {
		patch: whole.patch,
		truncated: whole.truncated || patches.some((one) => one.truncated),
		...(omitted.length > 0 && { omitted }),
	};
}
