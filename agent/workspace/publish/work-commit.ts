/**
 * Commits what is not committed yet in a repository of the workspace. Git runs without anybody's credentials, because
 * the configuration of the repository may make it start programs (filters).
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type Git, wordsOfGit } from "../git.ts";
import type { GitIdentity } from "../git-identity.ts";
import { withoutPermissionFiles } from "../permission-files.ts";
import { CommitFailedError, UnknownRepositoryError } from "./publish-errors.ts";

/** The time limit of each command; a large workspace takes a while. */
const commandMs = 20_000;

/** The repository and the program of a commit. */
export interface CommitPlace {
	/** The absolute path of the repository. */
	readonly folder: string;
	/** Git in the environment for work without a remote. */
	readonly git: Git;
	readonly signal: AbortSignal;
	/** Files in which the agent keeps its permissions; those that git does not know are not committed. */
	readonly permissionFiles: readonly string[];
}

export interface WorkCommit {
	/** The full name. */
	readonly sha: string;
	/** Whether there was something to commit. */
	readonly committed: boolean;
}

/**
 * Commits everything that the repository does not ignore; resolves to its newest commit.
 * @throws {CommitFailedError} {UnknownRepositoryError}
 */
export async function commitWork(
	{ folder, git, signal, permissionFiles }: CommitPlace,
	message: string,
	author: GitIdentity,
): Promise<WorkCommit> {
	const own = join(folder, ".git");
	const found = await lstat(own).catch(() => undefined);
	if (!found?.isDirectory())
		throw new UnknownRepositoryError("There is no git repository at that place of the workspace");
	// The configuration of the repository could name another folder for the files.
	const place = ["--git-dir", own, "--work-tree", folder, ...identityOptions(author)];
	const run = (args: readonly string[], input = "") =>
		git.run([...place, ...args], { cwd: folder, timeoutMs: commandMs, signal, input });
	const done = async (args: readonly string[], input = ""): Promise<string> => {
		const result = await run(args, input);
		if (result.code !== 0) throw new CommitFailedError(`The work cannot be committed: ${wordsOfGit(result)}`);
		return result.stdout.toString("utf8").trim();
	};
	// A pathspec leaves out changes of tracked files too.
	if (permissionFiles.length > 0) await done(["add", "--update"]);
	await done(["add", "--all", "--", ".", ...withoutPermissionFiles(permissionFiles)]);
	const { code } = await run(["diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv"]);
	if (code !== 0) await done(["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--file=-"], message);
	const { stdout } = await run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
	const sha = stdout.toString("utf8").trim();
	if (!isCommitName(sha)) throw new CommitFailedError("The repository has no commit yet, and nothing to commit");
	return { sha, committed: code !== 0 };
}

/** Whether a text is the full name of a commit. */
function isCommitName(text: string): boolean {
	return /^[\da-f]{40}([\da-f]{24})?$/.test(text);
}

function identityOptions({ name, email }: GitIdentity): string[] {
	return ["-c", `user.name=${name}`, "-c", `user.email=${email}`];
}
