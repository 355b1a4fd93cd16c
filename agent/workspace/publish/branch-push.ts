/**
 * Pushes one commit to a branch of the remote, without force. Git reads no configuration of the workspace: it runs in a
 * repository of its own that has the same objects, so that no hook, helper, filter, other URL or other program of the
 * workspace takes part (docs/decisions/0059-work-is-pushed-from-a-repository-of-its-own.md).
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createFile } from "#shared/base/files/replaced-file.ts";
import { copyUntrusted } from "#shared/base/files/untrusted-file.ts";
import { isBranchName } from "#shared/wire/git/branch-name.ts";
import { type GitProtocol, readRepositoryUrl } from "#shared/wire/git/repository-url.ts";
import type { CommandResult } from "../../io/run-command.ts";
import { type Git, wordsOfGit } from "../git.ts";
import { BranchMovedError, PushRefusedError, PushTimeoutError } from "./publish-errors.ts";

/** The time limit of a push. The platform waits a little longer for it. */
const pushMs = 60_000;
const maxShallowBytes = 1_048_576;

const config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\thooksPath = /dev/null\n[gc]\n\tauto = 0\n";

/** The user and the password for one push. */
export interface PushCredential {
	readonly username: string;
	readonly password: string;
}

/** The place and the bounds of pushes. */
export interface PushPlace {
	/** The folder in which the repository of the push is made; it is not in the workspace. */
	readonly scratch: string;
	readonly protocols: readonly string[];
	/** Makes the git of the push; the credential is for this push only. */
	readonly gitFor: (url: string, credential?: PushCredential) => Git;
	readonly signal: AbortSignal;
}

/** The commit, and where it goes. */
export interface Push {
	/** The absolute path of the repository that has the commit. */
	readonly folder: string;
	readonly url: string;
	readonly branch: string;
	readonly sha: string;
	readonly credential?: PushCredential | undefined;
}

/** @throws {BranchMovedError} {PushRefusedError} {PushTimeoutError} */
export async function pushBranch(push: Push, place: PushPlace): Promise<void> {
	const { url, protocol } = checked(push, place.protocols);
	const own = await mkdtemp(join(place.scratch, ".push-"));
	try {
		await fill(own, push.folder);
		// A password goes to servers that are asked over HTTP only.
		const given = protocol === "https" || protocol === "http" ? push.credential : undefined;
		const result = await place
			.gitFor(url, given)
			.run(
				["--git-dir", own, "push", "--no-verify", "--no-signed", "--", url, `${push.sha}:refs/heads/${push.branch}`],
				{ cwd: own, timeoutMs: pushMs, signal: place.signal, ...(given && { secret: credentialLines(given) }) },
			);
		if (result.code !== 0) throw failureOf(result, push.branch);
	} finally {
		await rm(own, { recursive: true, force: true });
	}
}

/** @throws {PushRefusedError} */
function checked({ url: written, branch }: Push, protocols: readonly string[]): { url: string; protocol: GitProtocol } {
	if (!isBranchName(branch)) throw new PushRefusedError(`"${branch}" cannot be the name of a branch`);
	const read = readRepositoryUrl(written, protocols);
	if ("refused" in read) throw new PushRefusedError(read.refused);
	return read;
}

/** Makes a repository without references, whose objects are those of the workspace. */
async function fill(own: string, folder: string): Promise<void> {
	const original = join(folder, ".git");
	await mkdir(join(own, "objects/info"), { recursive: true });
	await mkdir(join(own, "refs"));
	await createFile(join(own, "HEAD"), "ref: refs/heads/none\n");
	await createFile(join(own, "config"), config);
	await createFile(join(own, "objects/info/alternates"), `${join(original, "objects")}\n`);
	await copyUntrusted(join(original, "shallow"), join(own, "shallow"), maxShallowBytes);
}

/** Returns what a credential helper answers (git-credential(1)). */
function credentialLines({ username, password }: PushCredential): string {
	return `username=${username}\npassword=${password}\n`;
}

function failureOf(result: CommandResult, branch: string): Error {
	if (result.timedOut) return new PushTimeoutError("The push took too long; it may still have taken effect");
	const said = result.words.join("\n");
	if (/\[rejected\].*\((fetch first|non-fast-forward)\)/.test(said))
		return new BranchMovedError(
			`The branch "${branch}" has commits at the remote that the session does not have; nothing was overwritten`,
		);
	return new PushRefusedError(`The push was refused: ${wordsOfGit(withoutSummary(result))}`);
}

/** The lines of git about references say less than the ones of the server before them. */
function withoutSummary(result: CommandResult): CommandResult {
	const words = result.words.filter((line) => !/^(To |error: failed to push)/.test(line));
	return { ...result, words };
}
