/**
 * Puts the contents of changed binary files into a patch, as `git diff --binary` writes them, so that git can apply it. Large files are
 * not read: their sections stay as they are, and `fitPatch` leaves them out and names them.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { hasUnknownBinaries, isUnknownBinary, sectionsOf } from "#shared/wire/patches/patch-sections.ts";
import { binaryPaths } from "#shared/wire/pod/changed-files.ts";
import type { CommandResult } from "../../io/run-command.ts";

/** The text of a file's contents in a patch is larger than the file by this factor, at most. */
const growth = 1.3;
/** The most binary files that are looked at. */
const maxLooks = 5_000;
/** The most binary files whose contents are in a patch: their paths are arguments of git. */
const maxFiles = 200;

/** The comparison whose patch is completed. */
export interface BinaryComparison {
	readonly run: (args: readonly string[], input?: string, maxBytes?: number) => Promise<CommandResult>;
	readonly args: readonly string[];
	readonly commit: string;
	/** The arguments behind the commit that leave out what is not compared. */
	readonly rest: readonly string[];
	readonly folder: string;
	/** The most bytes that are read of git's patch. */
	readonly maxBytes: number;
}

/** Returns the patch with the contents of its binary files, as far as there is room. A renamed one stays without them. */
export async function withBinaries(patch: string, comparison: BinaryComparison): Promise<string> {
	if (!hasUnknownBinaries(patch)) return patch;
	const { run, args, commit, maxBytes } = comparison;
	const paths = await smallBinaries(comparison);
	if (paths.length === 0) return patch;
	const asked = ["--literal-pathspecs", ...args, "--no-renames", "--binary", commit, "--", ...paths];
	const { stdout, cut, code } = await run(asked, "", maxBytes);
	if (code !== 0 && !cut) return patch;
	const found = sectionsOf(stdout.toString("utf8"));
	const byTitle = new Map((cut ? found.slice(0, -1) : found).map((section) => [titleOf(section), section]));
	return sectionsOf(patch)
		.map((section) => (isUnknownBinary(section) ? (byTitle.get(titleOf(section)) ?? section) : section))
		.join("");
}

function titleOf(section: string): string {
	return section.slice(0, section.indexOf("\n"));
}

/** Returns the paths of the smallest changed binary files, as many as there is room for. */
async function smallBinaries({ run, args, commit, rest, folder, maxBytes }: BinaryComparison): Promise<string[]> {
	const listed = await run([...args, "--no-renames", "--numstat", "-z", commit, ...rest], "", 4 * maxBytes);
	if (listed.code !== 0 || listed.cut) return [];
	const paths = binaryPaths(listed.stdout.toString("utf8"))
		.filter((path) => !path.includes("\n"))
		.slice(0, maxLooks);
	const now = await Promise.all(paths.map((path) => lstat(join(folder, path)).catch(() => undefined)));
	const question = paths.map((path) => `${commit}:${path}\n`).join("");
	const before = (await run(["cat-file", "--batch-check=%(objectsize)"], question, maxBytes)).stdout
		.toString("utf8")
		.split("\n");
	let room = maxBytes / growth;
	return paths
		.map((path, n) => ({ path, bytes: (now[n]?.size ?? 0) + (Number(before[n]) || 0) }))
		.toSorted((one, other) => one.bytes - other.bytes)
		.slice(0, maxFiles)
		.filter(({ bytes }) => (room -= bytes) >= 0)
		.map(({ path }) => path);
}
