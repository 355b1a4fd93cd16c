/** Reads the files of a pull request, which GitHub and Gitea list in the same form. */
import type { FileEvidence } from "../providers/git-provider.ts";
import { absent, count, pageReader, readEachAs, text } from "./answer-fields.ts";

const files = pageReader({
	filename: text,
	previous_filename: { ...text, ...absent },
	additions: count,
	deletions: count,
});

export const readFiles = readEachAs(files, (file): FileEvidence => {
	const { filename, previous_filename, additions, deletions } = file;
	return { path: filename, additions, deletions, ...(previous_filename && { previous_path: previous_filename }) };
});
