/**
 * Makes the workspace by cloning the repositories of the launch. It is made once: an existing workspace is not
 * changed.
 */
import { access, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { monotonic } from "#shared/clock.ts";
import { replaceFile } from "#shared/files/replaced-file.ts";
import { readUntrusted } from "#shared/files/untrusted-file.ts";
import { isBranchName } from "#shared/git/branch-name.ts";
import { readRepositoryUrl } from "#shared/git/repository-url.ts";
import type { LaunchDocument, Repository } from "#shared/pod/launch.ts";
import { type Git, wordsOfGit } from "./git.ts";
import { pathBelow } from "#shared/pod/path-below.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { CommandResult } from "../io/run-command.ts";
import { isFreeOfLinks } from "./workspace-path.ts";

/** The time limit for all repositories together; the platform allows 300 s for a launch. */
const cloneMs = 280_000;
const localMs = 10_000;
const firstBranch = "main";
/** The bound on a repository's list of ignored files; a longer list is replaced. */
const maxExcludeBytes = 1_048_576;

/** The folder of a further repository has no character that a list of ignored files could read as a pattern. */
const plainPath = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/** The working copy of one session. */
export class Workspace {
	readonly #launch: LaunchDocument;
	readonly #git: Git;
	readonly #signal: AbortSignal;
	readonly #end = monotonic() + cloneMs;

	/** @param git Git with the environment of clones. */
	constructor(launch: LaunchDocument, git: Git, signal: AbortSignal) {
		this.#launch = launch;
		this.#git = git;
		this.#signal = signal;
	}

	get folder(): string {
		return this.#launch.workspace;
	}

	/** @throws {LaunchFailure} */
	async prepare(): Promise<void> {
		const [first, ...further] = this.#launch.repositories;
		// A launch that was killed while it cloned leaves this folder; nothing else uses its name.
		await rm(this.#partial, { recursive: true, force: true });
		if (!(await isRepository(this.folder))) await this.#make(first);
		for (const repository of further) await this.#add(repository);
	}

	async #make(first: Repository | undefined): Promise<void> {
		await mkdir(dirname(this.folder), { recursive: true });
		// Files without a repository are somebody's work, so they stay and become a repository.
		if (first === undefined || first.url === "" || (await hasFiles(this.folder))) {
			await this.#initialise(this.folder, first?.branch || firstBranch);
		} else {
			await this.#clone(first, this.folder);
		}
	}

	/** A further repository is not part of the first one, so it is left out of its changes. */
	async #add(repository: Repository): Promise<void> {
		const path = pathBelow(repository.path);
		if (path === undefined || !plainPath.test(path) || !(await isFreeOfLinks(this.folder, path))) {
			throw new LaunchFailure(
				"CLONE_FAILED",
				`The folder "${repository.path}" cannot hold a repository of the workspace`,
			);
		}
		const folder = join(this.folder, path);
		if (await isRepository(folder)) return;
		await mkdir(dirname(folder), { recursive: true });
		if (repository.url === "") await this.#initialise(folder, repository.branch || firstBranch);
		else await this.#clone(repository, folder);
		await ignore(this.folder, `/${path}/`);
	}

	async #initialise(folder: string, branch: string): Promise<void> {
		refuseBranch(branch);
		await mkdir(folder, { recursive: true });
		const result = await this.#git.run(["init", "--quiet", "--initial-branch", branch], this.#within(folder, localMs));
		if (result.code !== 0)
			throw new LaunchFailure("WORKSPACE_FAILED", `Cannot make the workspace: ${wordsOfGit(result)}`);
	}

	/**
	 * The repository is cloned beside the workspace and then moved, so that half a clone is never taken for a whole
	 * one.
	 */
	async #clone({ url: written, branch, base_branch }: Repository, folder: string): Promise<void> {
		for (const name of [branch, base_branch]) if (name !== "") refuseBranch(name);
		const read = readRepositoryUrl(written, this.#launch.git_protocols);
		if ("refused" in read) throw new LaunchFailure("CLONE_FAILED", read.refused);
		const result = await this.#fetchBranch(read.url, branch, base_branch);
		if (result.code !== 0) throw new LaunchFailure("CLONE_FAILED", `Cannot clone "${read.url}": ${wordsOfGit(result)}`);
		await rename(this.#partial, folder).catch((cause: unknown) => {
			throw new LaunchFailure("CLONE_FAILED", `Cannot clone "${read.url}": its folder in the workspace is in use`, {
				cause,
			});
		});
	}

	async #fetchBranch(url: string, branch: string, base: string): Promise<CommandResult> {
		const direct = await this.#cloneOnce(url, branch);
		if (branch === "" || direct.code === 0 || !isBranchMissing(direct)) return direct;
		const start = await this.#cloneOnce(url, base);
		if (start.code !== 0) return start;
		return this.#git.run(["checkout", "--quiet", "-B", branch], this.#within(this.#partial, localMs));
	}

	/**
	 * Two workers share the checkout, which takes most of the time. An empty branch means the remote's default branch.
	 */
	#cloneOnce(url: string, branch: string): Promise<CommandResult> {
		const options = ["--quiet", "--no-recurse-submodules", "--origin", "origin"];
		if (branch !== "") options.push("--branch", branch);
		const args = ["-c", "checkout.workers=2", "clone", ...options, "--", url, this.#partial];
		return this.#git.run(args, this.#within(dirname(this.folder), Math.max(this.#end - monotonic(), 1)));
	}

	get #partial(): string {
		return `${this.folder}.partial`;
	}

	#within(cwd: string, timeoutMs: number): { cwd: string; timeoutMs: number; signal: AbortSignal } {
		return { cwd, timeoutMs, signal: this.#signal };
	}
}

/** The words of git when the branch is missing and nothing was fetched (LC_ALL=C). */
function isBranchMissing({ words }: CommandResult): boolean {
	return words.some((line) => /Remote branch .* not found/.test(line));
}

function refuseBranch(name: string): void {
	if (!isBranchName(name)) throw new LaunchFailure("CLONE_FAILED", `"${name}" cannot be the name of a branch`);
}

async function isRepository(folder: string): Promise<boolean> {
	return access(join(folder, ".git", "HEAD")).then(
		() => true,
		() => false,
	);
}

async function hasFiles(folder: string): Promise<boolean> {
	const names = await readdir(folder).catch((): string[] => []);
	return names.length > 0;
}

async function ignore(repository: string, pattern: string): Promise<void> {
	const folder = join(repository, ".git", "info");
	await mkdir(folder, { recursive: true });
	const file = join(folder, "exclude");
	const text = String((await readUntrusted(file, maxExcludeBytes).catch(() => undefined)) ?? "");
	const lines = text.split("\n");
	if (!lines.includes(pattern)) await replaceFile(file, `${text}${lines.at(-1) === "" ? "" : "\n"}${pattern}\n`);
}
