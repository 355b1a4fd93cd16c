/** Small real git repositories to work on, and git's own words about a workspace. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"];

/** What git prints in a folder, without any configuration of this machine. */
export function git(folder: string, ...args: string[]): string {
	return run(folder, args, {});
}

function run(folder: string, args: readonly string[], env: Record<string, string>): string {
	return execFileSync("git", [...identity, ...args], {
		cwd: folder,
		encoding: "utf8",
		stdio: "pipe",
		env: { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", ...env },
	});
}

/** `git diff` of a workspace, new files included. Works on a copy of the index. */
export function gitDiff(workspace: string): string {
	const folder = mkdtempSync(join(tmpdir(), "atelier-index-"));
	const index = { GIT_INDEX_FILE: join(folder, "index") };
	try {
		copyFileSync(join(workspace, ".git/index"), index.GIT_INDEX_FILE);
		run(workspace, ["add", "--all", "--intent-to-add"], index);
		return run(workspace, ["diff"], index);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** A repository with one commit on `main`; returns its `file://` URL. */
export function makeRepository(folder: string, files: Record<string, string> = { "README.md": "# Example\n" }): string {
	mkdirSync(folder, { recursive: true });
	git(folder, "init", "--quiet", "--initial-branch=main");
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	git(folder, "add", "--all");
	git(folder, "commit", "--quiet", "--message", "First");
	return `file://${folder}`;
}
