/** What `git log` prints of commits, in a form of our own. Pure. */

export interface Commit {
	/** Whole. */
	readonly hash: string;
	readonly subject: string;
	/** When it was committed, in ISO 8601. */
	readonly at: string;
	readonly files: number;
}

/** Subjects have neither of these characters in any text a person writes. */
const [recordMark, fieldMark] = ["\u001e", "\u001f"];

/** For `git log --name-only`: hash, time and subject, then the names of the files. */
export const commitFormat = "--format=%x1e%H%x1f%cI%x1f%s";

const hashForm = /^[0-9a-f]{40,64}$/;

/** In the order they are printed; one that is cut off is left out. */
export function readCommits(output: string): Commit[] {
	return output.split(recordMark).flatMap((record) => {
		const [head = "", ...files] = record.split("\n");
		const [hash = "", at = "", ...subject] = head.split(fieldMark);
		if (!hashForm.test(hash) || Number.isNaN(Date.parse(at)) || subject.length === 0) return [];
		return [{ hash, at, subject: subject.join(" "), files: files.filter((name) => name !== "").length }];
	});
}
