/**
 * Adds the new files of a work tree to git's index, because they are changes too, and finds what a comparison has to leave out:
 * paths that git cannot add, and files that are too large to read. A sparse file of any size costs nobody anything to make.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { CommandResult } from "../../io/run-command.ts";
import { succeed } from "./succeed.ts";

/** Git's exit code when it could not add some of the files and was told to go on. */
const ignoredErrors = 1;
/** The bytes of changed files that git reads in a comparison; it reads them in some seconds, also several times. */
const maxReadBytes = 1024 ** 3;
/** The most changed paths that are looked at. */
const maxLooks = 20_000;
/** The most files that are left out for their size: their paths are arguments of git. */
const maxUnread = 200;
/** The bound on the list of changed files, in bytes. */
const maxListBytes = 128 * 1_048_576;

/** The paths below the tree that a comparison leaves out. */
export interface LeftOut {
	/** Paths that git cannot add, such as a repository without a commit. */
	readonly unadded: readonly string[];
	/** The largest changed files, when all together are too many bytes. */
	readonly unread: readonly string[];
}

/** Runs git in the tree of a comparison. @param maxBytes The bound on its output. */
export type RunGit = (args: readonly string[], input?: string, maxBytes?: number) => Promise<CommandResult>;

/**
 * Adds new files without their contents. Inner repositories that the outer one has recorded are left out: to find their changes, git
 * would start itself inside them. @param excluded Patterns of what is not added.
 */
export async function addNewFiles(run: RunGit, folder: string, excluded: readonly string[]): Promise<LeftOut> {
	const options = ["--all", "--intent-to-add", "--ignore-errors", "--verbose"];
	const args = ["add", ...options, "--pathspec-from-file=-", "--pathspec-file-nul"];
	const result = await run(args, [".", ...excluded].join("\0"), maxListBytes);
	const unadded = result.code === ignoredErrors ? unaddedPaths(result.words) : [];
	if (unadded.length === 0) await succeed(Promise.resolve(result));
	return { unadded, unread: await tooLarge(folder, changedPaths(result.stdout.toString("utf8"))) };
}

/** Returns the arguments behind a commit that leave these paths out. */
export function allBut(paths: readonly string[]): string[] {
	return paths.length === 0 ? [] : ["--", ".", ...paths.map((path) => `:(exclude,literal)${path}`)];
}

/** Returns the paths from lines such as `error: 'path/' does not have a commit checked out`. */
function unaddedPaths(words: readonly string[]): string[] {
	return words.flatMap((line) => /^error: (?:unable to index file )?'(.+?)\/?'/.exec(line)?.[1] ?? []);
}

/** Returns the paths from lines `add 'path'`; a path may have line breaks and quotes. */
function changedPaths(listing: string): string[] {
	return listing
		.split(/'\n(?=add '|remove '|$(?![^]))/)
		.flatMap((line) => (line.startsWith("add '") ? line.slice(5) : []));
}

async function tooLarge(folder: string, paths: readonly string[]): Promise<string[]> {
	const looks = paths.slice(0, maxLooks).map(async (path) => {
		const found = await lstat(join(folder, path)).catch(() => undefined);
		return { path, bytes: found?.isFile() ? found.size : 0 };
	});
	let room = maxReadBytes;
	return (await Promise.all(looks))
		.toSorted((one, other) => one.bytes - other.bytes)
		.filter(({ bytes }) => (room -= bytes) < 0)
		.slice(-maxUnread)
		.map(({ path }) => path);
}
