/** Parses git's list of changed files. Pure. */
import type { DiffFileList } from "#shared/contracts/sessions/session-diff.ts";
import { jsonBytes } from "#shared/base/answer-size.ts";

export type ChangedFile = DiffFileList["files"][number];

const statuses: Readonly<Record<string, ChangedFile["status"]>> = { A: "new", D: "del" };

/** An entry of `--raw`: `:modes ids letter`, path. */
const rawEntry = /:[^\0]* ([A-Z])\d*\0([^\0]+)\0/gy;
/** An entry of `--numstat`: lines added, lines removed, path. Dashes stand for a binary file, which has no lines. */
const countEntry = /(\d+|-)\t(\d+|-)\t([^\0]+)\0/gy;

/**
 * Reads the output of `git diff --raw --numstat -z --no-renames`: the raw entries of all files, then the counts of all
 * files.
 */
export function readFileList(output: string): ChangedFile[] {
	const raw = [...output.matchAll(rawEntry)];
	const rest = output.slice(raw.reduce((length, [entry]) => length + entry.length, 0));
	const counts = new Map([...rest.matchAll(countEntry)].map(([, ins, del, path]) => [path, { ins, del }]));
	return raw.map(([, letter = "", path = ""]) => {
		const { ins, del } = counts.get(path) ?? {};
		return { path, status: statuses[letter] ?? "mod", ins: Number(ins) || 0, del: Number(del) || 0 };
	});
}

/** Reads the output of `git diff --numstat -z --no-renames`; returns the paths of binary files. */
export function binaryPaths(output: string): string[] {
	return [...output.matchAll(countEntry)].filter(([, ins]) => ins === "-").map(([, , , path = ""]) => path);
}

/** Returns the files that fit into `limit` bytes of JSON. */
export function fitFileList(files: readonly ChangedFile[], limit: number): DiffFileList {
	let bytes = 0;
	const tooMany = files.findIndex((file) => (bytes += jsonBytes(file) + 1) > limit);
	return tooMany === -1 ? { files: [...files] } : { files: files.slice(0, tooMany), truncated: true };
}
