/** Converts a patch of git to the answers of the platform's diff. Pure. */
import { parsePatch, type StructuredPatch } from "diff";
import type { DiffPatch, FileDiff } from "#shared/contracts/sessions/session-diff.ts";
import { hasUnknownBinaries, isBinary, isUnknownBinary, nameOf, sectionsOf } from "../patches/patch-sections.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";
import type { ChangedFile } from "./changed-files.ts";

/** The most files that are named because they were left out. */
export const maxOmitted = 100;

type Hunk = FileDiff["hunks"][number];
type Line = Hunk["lines"][number];

/** Returns the files that a patch without renames changes. */
export function filesOfPatch(patch: string): ChangedFile[] {
	// The parser finds one file without a name in an empty patch.
	const files = filesIn(patch).filter((file) => pathOf(file) !== "");
	return files.map((file) => {
		const lines = file.hunks.flatMap((hunk) => hunk.lines);
		const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
		return { path: pathOf(file), status: statusOf(file), ins: count("+"), del: count("-") };
	});
}

/** Parses the patch, which comes from the pod and may be anything; files that cannot be parsed are omitted. */
function filesIn(patch: string): StructuredPatch[] {
	return parsed(patch) ?? sectionsOf(patch).flatMap((file) => parsed(file) ?? []);
}

function parsed(patch: string): StructuredPatch[] | undefined {
	try {
		return parsePatch(patch);
	} catch {
		return undefined;
	}
}

function statusOf({ isCreate, isDelete }: StructuredPatch): ChangedFile["status"] {
	if (isCreate) return "new";
	return isDelete ? "del" : "mod";
}

/**
 * Returns the path of a file. Git names it `a/path` before and `b/path` after the change, and `/dev/null` on the side
 * where the file does not exist.
 */
function pathOf({ oldFileName, newFileName, isDelete }: StructuredPatch): string {
	return (isDelete ? oldFileName : newFileName)?.slice(2) ?? "";
}

/**
 * Reads the patch of one file. Lines beyond `limit` bytes of JSON are omitted, and the counts of their hunk count the
 * remaining lines only.
 */
export function readFileDiff(filePath: string, patch: string, limit: number): FileDiff {
	return fitHunks(filePath, filesIn(patch), limit);
}

/** Reads one file like {@link readFileDiff} from the patch of many files. */
export function fileOfPatch(filePath: string, patch: string, limit: number): FileDiff {
	return fitHunks(
		filePath,
		filesIn(patch).filter((file) => pathOf(file) === filePath),
		limit,
	);
}

function fitHunks(filePath: string, files: readonly StructuredPatch[], limit: number): FileDiff {
	let room = limit - jsonBytes(filePath);
	const hunks: Hunk[] = [];
	for (const { oldStart, newStart, lines } of files.flatMap((file) => file.hunks)) {
		const numbered = numberLines(lines, oldStart, newStart);
		const tooMany = numbered.findIndex((line) => (room -= jsonBytes(line) + 1) < 0);
		hunks.push(hunkOf(oldStart, newStart, tooMany === -1 ? numbered : numbered.slice(0, tooMany)));
		if (tooMany !== -1) return { filePath, hunks, truncated: true };
	}
	return { filePath, hunks };
}

function hunkOf(oldStart: number, newStart: number, lines: Line[]): Hunk {
	const oldCount = lines.filter(({ type }) => type !== "add").length;
	const newCount = lines.filter(({ type }) => type !== "remove").length;
	return { oldStart, oldCount, newStart, newCount, lines };
}

/** Converts lines of the forms `+text`, `-text` and ` text`; a line that begins with a backslash is a remark of git. */
function numberLines(lines: readonly string[], oldStart: number, newStart: number): Line[] {
	let [oldLine, newLine] = [oldStart, newStart];
	return lines.flatMap((line): Line[] => {
		const content = line.slice(1);
		if (line.startsWith("+")) return [{ type: "add", content, newLine: newLine++ }];
		if (line.startsWith("-")) return [{ type: "remove", content, oldLine: oldLine++ }];
		if (line.startsWith("\\")) return [];
		return [{ type: "context", content, oldLine: oldLine++, newLine: newLine++ }];
	});
}

/**
 * Returns as many whole files of the patch as fit into `limit` bytes of JSON: first those of text, then binary ones in the room that is left.
 * Binary files without their contents, which git could not apply, are left out. @param cut Whether the end of the patch itself is
 * missing.
 */
export function fitPatch(patch: string, cut: boolean, limit: number): DiffPatch {
	if (!hasUnknownBinaries(patch)) return cutPatch(patch, cut, limit);
	const sections = sectionsOf(patch);
	const known = sections.filter((section) => !isUnknownBinary(section)).join("");
	const fitting = cutPatch(known, cut, limit);
	const omitted = [...sections.filter(isUnknownBinary).map(nameOf), ...(fitting.omitted ?? [])];
	return { ...fitting, truncated: true, omitted: omitted.slice(0, maxOmitted) };
}

/** Does the same, and keeps the sections of binary files without their contents: they tell that the files have changed. */
export function cutPatch(patch: string, cut: boolean, limit: number): DiffPatch {
	if (!cut && jsonBytes(patch) <= limit) return { patch, truncated: false };
	const files = cut ? sectionsOf(patch).slice(0, -1) : sectionsOf(patch);
	let room = limit - 2;
	const isKept = (file: string): boolean => {
		const bytes = jsonBytes(file) - 2;
		if (bytes > room) return false;
		room -= bytes;
		return true;
	};
	const text = files.filter((file) => !isBinary(file));
	const tooMany = text.findIndex((file) => !isKept(file));
	const kept = new Set(tooMany === -1 ? text : text.slice(0, tooMany));
	for (const file of files) if (isBinary(file) && isKept(file)) kept.add(file);
	const omitted = files.filter((file) => !kept.has(file)).map(nameOf);
	return {
		patch: files.filter((file) => kept.has(file)).join(""),
		truncated: true,
		...(omitted.length > 0 && { omitted: omitted.slice(0, maxOmitted) }),
	};
}
