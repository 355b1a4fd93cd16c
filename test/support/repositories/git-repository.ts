/** Makes real git repositories for tests. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { reachableFolder } from "../machine/reachable-url.ts";

const identity = {
	GIT_AUTHOR_NAME: "Ada",
	GIT_AUTHOR_EMAIL: "ada@example.com",
	GIT_COMMITTER_NAME: "Ada",
	GIT_COMMITTER_EMAIL: "ada@example.com",
};

/** Returns git's output, independent of any configuration. */
export function git(folder: string, args: readonly string[], env: Record<string, string> = {}): string {
	return execFileSync("git", args, {
		cwd: folder,
		encoding: "utf8",
		maxBuffer: 64 * 1_048_576,
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			PATH: process.env["PATH"],
			HOME: "/nonexistent",
			GIT_CONFIG_NOSYSTEM: "1",
			GIT_CEILING_DIRECTORIES: dirname(folder),
			...identity,
			...env,
		},
	});
}

const readme = { "README.md": "# Example\n" };

/** Makes a repository with one commit on `main` that contains the files; returns its folder. */
export function makeRepository(folder: string, files: Readonly<Record<string, string>> = readme): string {
	mkdirSync(folder, { recursive: true });
	git(folder, ["init", "--quiet", "--initial-branch=main"]);
	commitFiles(folder, files, "first");
	return folder;
}

export function commitFiles(folder: string, files: Readonly<Record<string, string>>, message: string): void {
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	git(folder, ["add", "--all"]);
	git(folder, ["commit", "--quiet", "--message", message]);
}

/** Returns the URL of a repository for git and the platform. */
export function fileUrl(folder: string): string {
	return reachableFolder(folder);
}

/** Returns `git diff` of a workspace, including new files. Works on a copy of the index. */
export function gitDiff(workspace: string): string {
	const folder = mkdtempSync(join(tmpdir(), "atelier-index-"));
	const index = { GIT_INDEX_FILE: join(folder, "index") };
	try {
		copyFileSync(join(workspace, ".git/index"), index.GIT_INDEX_FILE);
		git(workspace, ["add", "--all", "--intent-to-add"], index);
		return git(workspace, ["diff"], index);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
