/** Clones one repository into a folder of its own, and tells how far it is. */
import { dirname } from "node:path";
import { monotonic } from "#shared/base/clock.ts";
import { isBranchName } from "#shared/wire/git/branch-name.ts";
import { readRepositoryUrl } from "#shared/wire/git/repository-url.ts";
import type { Repository } from "#shared/wire/pod/launch.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { CommandResult } from "../io/run-command.ts";
import { type CloneStep, readCloneStep } from "./clone-step.ts";
import { type Git, wordsOfGit } from "./git.ts";
import { missingBranch, remoteNames } from "./remote-names.ts";

/** The time limit of a command that uses no remote. */
export const localMs = 10_000;

/** How to get a branch that the repository lacks. */
export const newBranchRemedy = 'To make a new branch, name the branch that it begins at as "base_branch"';

/** The place and the bounds of a clone. */
export interface ClonePlace {
	readonly git: Git;
	readonly protocols: readonly string[];
	/** The time on the monotonic clock at which the clone is ended. */
	readonly end: number;
	readonly signal: AbortSignal;
	readonly onStep: (step: CloneStep) => void;
}

/** @param folder It does not exist yet; its parent does. @throws {LaunchFailure} that names the repository. */
export async function cloneRepository(
	{ url: written, branch, base_branch: base }: Repository,
	folder: string,
	place: ClonePlace,
): Promise<void> {
	for (const name of [branch, base]) if (name !== "") refuseBranch(name);
	const read = readRepositoryUrl(written, place.protocols);
	if ("refused" in read) throw new LaunchFailure("CLONE_FAILED", read.refused);
	const { url } = read;
	const result = await cloneOnce(url, branch, folder, place);
	if (result.code === 0) return;
	if (branch === "" || !isBranchMissing(result)) throw cannotClone(url, result);
	await cloneForNewBranch({ url, branch, base }, folder, place);
}

/**
 * Clones a remote that lacks the branch, which is made from its base. A remote without any branch has nothing else that
 * could be meant. @throws {LaunchFailure} that names the branch which was probably meant.
 */
async function cloneForNewBranch(
	{ url, branch, base }: { readonly url: string; readonly branch: string; readonly base: string },
	folder: string,
	place: ClonePlace,
): Promise<void> {
	const names = await remoteNames(url, { ...place, folder: dirname(folder) });
	const isEmpty = names?.length === 0;
	const missing = { what: `The repository "${url}"`, names: names ?? [] };
	const lacks = (sentence: string): LaunchFailure => new LaunchFailure("BRANCH_UNKNOWN", sentence);
	if (base === "" && !isEmpty) throw lacks(missingBranch({ ...missing, branch }, newBranchRemedy));
	const result = await cloneOnce(url, isEmpty ? "" : base, folder, place);
	if (result.code !== 0)
		throw isBranchMissing(result)
			? lacks(missingBranch({ ...missing, branch: base, isBase: true }))
			: cannotClone(url, result);
	const made = await makeBranch(branch, folder, place);
	if (made.code !== 0) throw cannotClone(url, made);
}

function cannotClone(url: string, result: CommandResult): LaunchFailure {
	return new LaunchFailure("CLONE_FAILED", `Cannot clone "${url}": ${wordsOfGit(result)}`);
}

/** Refuses a branch name that git does not allow. @throws {LaunchFailure} */
export function refuseBranch(name: string): void {
	if (!isBranchName(name)) throw new LaunchFailure("CLONE_FAILED", `"${name}" cannot be the name of a branch`);
}

/** Two workers share the checkout, which takes most of the time. An empty branch means the remote's default branch. */
function cloneOnce(url: string, branch: string, folder: string, place: ClonePlace): Promise<CommandResult> {
	const { git, end, signal, onStep } = place;
	const options = ["--progress", "--no-recurse-submodules", "--origin", "origin"];
	if (branch !== "") options.push("--branch", branch);
	const args = ["-c", "checkout.workers=2", "clone", ...options, "--", url, folder];
	const onLine = (line: string): boolean => {
		const step = readCloneStep(line);
		if (step !== undefined) onStep(step);
		return step === undefined && !line.startsWith("Cloning into ");
	};
	return git.run(args, { cwd: dirname(folder), timeoutMs: Math.max(end - monotonic(), 1), signal, isLogged: onLine });
}

function makeBranch(branch: string, folder: string, { git, signal }: ClonePlace): Promise<CommandResult> {
	return git.run(["checkout", "--quiet", "-B", branch], { cwd: folder, timeoutMs: localMs, signal });
}

/** The words of git when the branch is missing and nothing was fetched (LC_ALL=C). */
function isBranchMissing({ words }: CommandResult): boolean {
	return words.some((line) => /Remote branch .* not found/.test(line));
}
