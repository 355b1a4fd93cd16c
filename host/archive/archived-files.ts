/** Writes the files of a folder as entries of an archive, and says which of them are left out. */
import type { FileEntry } from "#shared/base/files/file-entry.ts";
import type { LeftOut } from "#shared/base/files/folder-walk.ts";
import { oneLine } from "#shared/base/one-line.ts";
import type { ArchiveWriter } from "./archive-writer.ts";

/** The most entries of a folder that a sentence names, and the characters of each. */
const maxNamed = 5;
const maxCharacters = 200;

/** The files of one folder. */
export interface ArchivedFolder {
	/** The name of the folder for people. */
	readonly name: string;
	readonly entries: AsyncIterable<FileEntry | LeftOut>;
	/** The path of the folder in the section with a slash at its end; empty: the section is of this folder. */
	readonly prefix: string;
}

/** Adds the entries to the present section; returns a sentence about those that are left out, if there are any. */
export async function writeFiles(
	writer: ArchiveWriter,
	{ name, entries, prefix }: ArchivedFolder,
): Promise<string | undefined> {
	let count = 0;
	const named: string[] = [];
	for await (const entry of entries) {
		if (entry.kind !== "left") {
			await writer.entry({ ...entry, path: `${prefix}${entry.path}` });
			continue;
		}
		count++;
		if (named.length < maxNamed) named.push(wordsOf(entry));
	}
	if (count === 0) return undefined;
	const more = count > named.length ? ` and ${count - named.length} more` : "";
	return `${count} entries of "${name}" that are no files, could not be read or restored, or are too large: ${named.join(", ")}${more}`;
}

function wordsOf({ path, isBound }: LeftOut): string {
	const words = path === "" ? "all of it" : `"${oneLine(path, maxCharacters)}"`;
	return isBound ? `${words} (too large)` : words;
}
