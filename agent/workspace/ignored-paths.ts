/** Adds patterns to a repository's own list of ignored paths, `.git/info/exclude`, which is no part of its commits. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { isFreeOfLinks } from "./workspace-path.ts";

/** The bound on the list; a longer one is replaced. */
const maxExcludeBytes = 1_048_576;
const info = join(".git", "info");

/**
 * Adds the patterns that the list does not have. A `.git` that is a link or a file, or has a link in the place of the
 * list's folder, leads outside of the repository, so nothing is written.
 */
export async function ignorePaths(repository: string, patterns: readonly string[]): Promise<void> {
	if (!(await isFreeOfLinks(repository, info))) return;
	await mkdir(join(repository, info), { recursive: true });
	const file = join(repository, info, "exclude");
	const text = String((await readUntrusted(file, maxExcludeBytes).catch(() => undefined)) ?? "");
	const lines = text.split("\n");
	const added = patterns.filter((pattern) => !lines.includes(pattern)).map((pattern) => `${pattern}\n`);
	if (added.length > 0) await replaceFile(file, `${text}${lines.at(-1) === "" ? "" : "\n"}${added.join("")}`);
}
