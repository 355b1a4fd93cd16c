/**
 * Switches repositories to the branches that updates of the session have chosen since its last launch. Branches that
 * people and agents switched to in the workspace stay: only a branch that differs from the one of the last launch is a
 * choice.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "#shared/files/replaced-file.ts";
import { readUntrusted } from "#shared/files/untrusted-file.ts";
import type { Repository } from "#shared/pod/launch.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import { type Git, wordsOfGit } from "./git.ts";
import { refuseBranch } from "./repository-clone.ts";

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
 * Switches the repositories that are there, and remembers the branches of all.
 * @param missing The folders of those that will be made with their branches.
 * @throws {LaunchFailure} that names the branch; nothing that is not committed is lost.
 */
export async function followBranches(
	repositories: readonly Repository[],
	missing: ReadonlySet<string>,
	places: BranchPlaces,
): Promise<void> {
	const file = join(places.state, "branches.json");
	const former = await readBranches(file);
	for (const { path, branch } of repositories) {
		const before = former?.get(path);
		if (before !== undefined && before !== branch && branch !== "" && !missing.has(path))
			await switchTo(branch, before, { ...places, path });
	}
	const text = JSON.stringify(repositories.map(({ path, branch }) => [path, branch]));
	if (former !== undefined && JSON.stringify([...former]) === text) return;
	await mkdir(places.state, { recursive: true, mode: 0o700 });
	await replaceFile(file, text);
}

/** Returns the branches of the last launch by folder; undefined when nobody knows them. */
async function readBranches(file: string): Promise<Map<string, string> | undefined> {
	try {
		const read: unknown = JSON.parse(String(await readUntrusted(file, maxFileBytes)));
		return Array.isArray(read) && read.every(isPair) ? new Map(read) : undefined;
	} catch {
		return undefined;
	}
}

function isPair(value: unknown): value is [string, string] {
	return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}

/** Git keeps uncommitted changes, or refuses. A branch that it does not know begins at the present commit. */
async function switchTo(
	branch: string,
	before: string,
	{ workspace, path, git, signal }: BranchPlaces & { readonly path: string },
): Promise<void> {
	refuseBranch(branch);
	const options = { cwd: join(workspace, path), timeoutMs: switchMs, signal };
	let result = await git.run(["switch", "--quiet", branch], options);
	if (result.code !== 0 && result.words.some((line) => line.includes("invalid reference")))
		result = await git.run(["switch", "--quiet", "--create", branch], options);
	if (result.code === 0) return;
	const where = path === "" ? "" : ` in "${path}"`;
	throw new LaunchFailure(
		"WORKSPACE_FAILED",
		`Cannot switch to the branch "${branch}"${where}: ${wordsOfGit(result)}. A session with the branch "${before}" starts`,
	);
}
