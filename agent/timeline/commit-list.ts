/** Reads the commits that `git log` prints. Pure. */

export interface Commit {
	/** The full hash. */
	readonly hash: string;
	readonly subject: string;
	/** The time of the commit in ISO 8601. */
	readonly at: string;
	readonly files: number;
}

/** These characters occur in no subject that a person writes. */
const [recordMark, fieldMark] = ["\u001e", "\u001f"];

/** The format for `git log --name-only`: hash, time and subject, then the names of the files. */
export const commitFormat = "--format=%x1e%H%x1f%cI%x1f%s";

const hashForm = /^[0-9a-f]{40,64}$/;

/** Returns the commits in the order in which they are printed; a commit that is cut off is left out. */
export function readCommits(output: string): Commit[] {
	return output.split(recordMark).flatMap((record) => {
		const [head = "", ...files] = record.split("\n");
		const [hash = "", at = "", ...subject] = head.split(fieldMark);
		if (!hashForm.test(hash) || Number.isNaN(Date.parse(at)) || subject.length === 0) return [];
		return [{ hash, at, subject: subject.join(" "), files: files.filter((name) => name !== "").length }];
	});
}
