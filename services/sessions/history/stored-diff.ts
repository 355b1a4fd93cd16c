/** Answers a request for a diff from a stored patch. Pure, and slow for large patches. */
import type { DiffFileList, DiffPatch, FileDiff } from "#shared/contracts/sessions/session-diff.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { fitFileList } from "#shared/wire/pod/changed-files.ts";
import { fileOfPatch, filesOfPatch, fitPatch } from "#shared/wire/pod/diff-output.ts";
import type { StoredPatch } from "./session-history.ts";

export type StoredDiff = FileDiff | DiffFileList | DiffPatch;

/** A stored patch with the requested part of it. */
export interface StoredDiffOrder extends StoredPatch {
	/** The file whose hunks are wanted; absent: all files. */
	readonly path?: string | undefined;
	readonly format: "files" | "patch";
}

export function storedDiff({ patch, truncated, path, format }: StoredDiffOrder): StoredDiff {
	if (path !== undefined) return fileOfPatch(path, patch, answerBytes);
	if (format === "patch") {
		const fitting = fitPatch(patch, false, answerBytes);
		return { ...fitting, truncated: fitting.truncated || truncated };
	}
	const list = fitFileList(filesOfPatch(patch), answerBytes);
	return truncated ? { ...list, truncated } : list;
}
