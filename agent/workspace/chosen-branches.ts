/**
 * Switches repositories to the branches that updates of the session have chosen since its last launch. Branches that
 * people and agents switched to in the workspace stay: only a branch that differs from the one of the last launch is a
 * choice.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { isBranchName } from "#shared/wire/git/branch-name.ts";
import type { Repository } from "#shared/wire/pod/launch.ts";
import type { RepositoryBranch } from "#shared/wire/pod/status.ts";
import { parseJson } from "#shared/base/schema/parsed-json.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { CommandResult } from "../io/run-command.ts";
import { type Git, wordsOfGit } from "./git.ts";
import { missingBranch } from "./remote-names.ts";
import { localMs, newBranchRemedy, refuseBranch } from "./repository-clone.ts";

/** The time limit of one switch, which writes the files that differ. */
const switchMs = 60_000;
const maxFileBytes = 65_536;

/** The places and the program of the switches. */
export interface BranchPlaces {
	readonly workspace: string;
	/** The session's own folder, which outlives the pod. */
	readonly state: string;
	/** Git without anybody's credentials, because the configuration of the repository may start programs. */
	readonly git: Git;
	readonly signal: AbortSignal;
}

/**
 * Switches the repositories that are there.
 * @param missing The folders of those that will be made with their branches.
 * @throws {LaunchFailure} that names the branch; nothing that is not committed is lost.
 */
export async function followBranches(
	repositories: readonly Repository[],
	missing: ReadonlySet<string>,
	places: BranchPlaces,
): Promise<void> {
	const former = await readBranches(places.state);
	for (const repository of repositories) {
		const { path, branch } = repository;
		const before = former?.get(path) ?? "";
		if (before !== "" && before !== branch && branch !== "" && !missing.has(path))
			await switchTo(repository, before, places);
	}
}

/**
 * Remembers the branches of all repositories, which are there by now; resolves to those that the launch does not name:
 * they are on the branch that the remote's HEAD named.
 * @param made The folders of those that this launch has made.
 */
export async function rememberBranches(
	repositories: readonly Repository[],
	made: ReadonlySet<string>,
	places: BranchPlaces,
): Promise<RepositoryBranch[]> {
	const former = await readBranches(places.state);
	const remembered = (path: string): string => (made.has(path) ? "" : (former?.get(path) ?? ""));
	const branches: RepositoryBranch[] = [];
	for (const { path, branch } of repositories)
		branches.push({ path, branch: branch || remembered(path) || (await presentBranch(path, places)) });
	const text = JSON.stringify(branches.map(({ path, branch }) => [path, branch]));
	if (former === undefined || JSON.stringify([...former]) !== text) {
		await mkdir(places.state, { recursive: true, mode: 0o700 });
		await replaceFile(fileOf(places.state), text);
	}
	return branches.filter(({ branch }, index) => branch !== "" && repositories[index]?.branch === "");
}

function fileOf(state: string): string {
	return join(state, "branches.json");
}

/** Returns the branch of a repository; empty when it is on none. */
async function presentBranch(path: string, { workspace, git, signal }: BranchPlaces): Promise<string> {
	const options = { cwd: join(workspace, path), timeoutMs: localMs, signal };
	const { code, stdout } = await git.run(["symbolic-ref", "--quiet", "--short", "HEAD"], options);
	const branch = String(stdout).trim();
	return code === 0 && isBranchName(branch) ? branch : "";
}

/** Returns the branches of the last launch by folder; undefined when nobody knows them. */
async function readBranches(state: string): Promise<Map<string, string> | undefined> {
	const content = await readUntrusted(fileOf(state), maxFileBytes).catch(() => undefined);
	const read = parseJson(content?.toString("utf8") ?? "");
	return Array.isArray(read) && read.every(isPair) ? new Map(read) : undefined;
}

function isPair(value: unknown): value is [string, string] {
	return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}

/** Git keeps uncommitted changes, or refuses. A branch that the clone does not know begins at its base. */
async function switchTo(repository: Repository, before: string, places: BranchPlaces): Promise<void> {
	const { branch, base_branch: base, path } = repository;
	const { workspace, git, signal } = places;
	for (const name of [branch, base]) if (name !== "") refuseBranch(name);
	const options = { cwd: join(workspace, path), timeoutMs: switchMs, signal };
	const found = await git.run(["switch", "--quiet", branch], options);
	const result = isUnknown(found) ? await switchToNew(repository, places) : found;
	if (result.code === 0) return;
	const where = path === "" ? "" : ` in "${path}"`;
	throw new LaunchFailure(
		"WORKSPACE_FAILED",
		`Cannot switch to the branch "${branch}"${where}: ${wordsOfGit(result)}. A session with the branch "${before}" starts`,
	);
}

/** Makes the branch from its base, the local one or the remote's, and switches to it. @throws {LaunchFailure} */
async function switchToNew(repository: Repository, places: BranchPlaces): Promise<CommandResult> {
	const { branch, base_branch: base, path } = repository;
	const { workspace, git, signal } = places;
	const options = { cwd: join(workspace, path), timeoutMs: switchMs, signal };
	const create = (...start: string[]): Promise<CommandResult> =>
		git.run(["switch", "--quiet", "--no-track", "--create", branch, ...start], options);
	const names = await knownBranches(path, places);
	// A repository without a commit has nothing else that could be meant.
	if (names.length === 0) return git.run(["symbolic-ref", "HEAD", `refs/heads/${branch}`], options);
	if (base === "") throw unknownBranch(branch, names, newBranchRemedy);
	const made = await create(base);
	if (!isUnknown(made)) return made;
	const fromRemote = await create(`origin/${base}`);
	if (isUnknown(fromRemote)) throw unknownBranch(base, names, "", true);
	return fromRemote;
}

/** The words of git for a name that is no commit (LC_ALL=C). */
function isUnknown({ code, words }: CommandResult): boolean {
	return code !== 0 && words.some((line) => line.includes("invalid reference"));
}

function unknownBranch(branch: string, names: readonly string[], remedy = "", isBase = false): LaunchFailure {
	const what = "The clone of the session";
	const fetched = `A branch that the remote got since then has to be fetched in the session. ${remedy}`.trim();
	return new LaunchFailure("BRANCH_UNKNOWN", missingBranch({ what, branch, names, isBase }, fetched));
}

/** Returns the names of the branches of the repository and of its remote. */
async function knownBranches(path: string, { workspace, git, signal }: BranchPlaces): Promise<string[]> {
	const format = "--format=%(refname:lstrip=2)";
	const options = { cwd: join(workspace, path), timeoutMs: localMs, signal };
	const { stdout } = await git.run(["for-each-ref", format, "refs/heads", "refs/remotes/origin"], options);
	const names = String(stdout)
		.split("\n")
		.filter((name) => name !== "" && name !== "origin/HEAD");
	return [...new Set(names.map((name) => name.replace(/^origin\//, "")))];
}
