/**
 * Makes the workspace by cloning the repositories of the launch side by side. Each is made once: of an existing one,
 * only the branch changes, if an update of the session has chosen another one.
 */
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { monotonic } from "#shared/base/clock.ts";
import type { LaunchDocument, Repository } from "#shared/wire/pod/launch.ts";
import { setupMs } from "#shared/wire/launch/setup-time.ts";
import type { RepositoryBranch } from "#shared/wire/pod/status.ts";
import { maxRepositories, pathsInside, repositoryPath } from "#shared/wire/pod/repository-path.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import { followBranches, rememberBranches } from "./chosen-branches.ts";
import type { CloneProgress } from "./clone-progress.ts";
import { isRepository } from "./diff/shadow-repository.ts";
import { type Git, wordsOfGit } from "./git.ts";
import { ignorePaths } from "./ignored-paths.ts";
import { cloneRepository, localMs, refuseBranch } from "./repository-clone.ts";
import { isFreeOfLinks } from "./workspace-path.ts";

/** The repositories that are cloned at a time. */
const concurrent = 4;
const firstBranch = "main";

const lostFiles =
	"The files of this session's earlier launches are not there; its workspace was made anew, and what was not pushed is missing";

const ownRepository: Repository = { url: "", branch: firstBranch, base_branch: "", path: "" };

export interface WorkspaceDependencies {
	readonly launch: LaunchDocument;
	/** Git with the environment of clones. */
	readonly git: Git;
	/** Git with the environment of work without a remote. */
	readonly local: Git;
	readonly signal: AbortSignal;
	readonly progressOf: (repositories: readonly Repository[]) => CloneProgress;
	/** Receives a sentence for the session's owner. */
	readonly warn: (sentence: string) => void;
}

export class Workspace {
	readonly #dependencies: WorkspaceDependencies;
	/** The time limit of all repositories together. */
	readonly #end: number;

	constructor(dependencies: WorkspaceDependencies) {
		this.#dependencies = dependencies;
		this.#end = monotonic() + setupMs(dependencies.launch);
	}

	/** Resolves to the branches of the repositories whose launch names none. @throws {LaunchFailure} */
	async prepare(): Promise<RepositoryBranch[]> {
		const { launch, local, signal, warn } = this.#dependencies;
		await this.#refuseLink();
		const isLost = launch.worked_before === true && !(await hasFiles(launch.workspace));
		const repositories = await this.#placed(launch.repositories);
		// A launch that was killed while it cloned leaves this folder; nothing else uses its name.
		await rm(this.#partial, { recursive: true, force: true });
		const missing = await this.#missing(repositories);
		const { workspace, state } = launch;
		const places = { workspace, state, git: local, signal };
		const made = new Set(missing.map(({ path }) => path));
		await followBranches(repositories, made, places);
		if (missing.length > 0) await this.#make(missing, repositories);
		if (isLost) warn(lostFiles);
		return rememberBranches(repositories, made, places);
	}

	async #make(missing: readonly Repository[], repositories: readonly Repository[]): Promise<void> {
		const cloned = missing.filter(({ url }) => url !== "");
		await this.#cloneAll(cloned);
		// An outer repository is there before the ones inside of it.
		for (const repository of missing.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
			await this.#place(repository, cloned.indexOf(repository));
		}
		await rm(this.#partial, { recursive: true, force: true });
		for (const { path } of repositories) await this.#ignoreInner(path, repositories);
	}

	/** A workspace that is a link to a folder of the host is used by launches that name the folder, and have it checked. */
	async #refuseLink(): Promise<void> {
		const found = await lstat(this.#folder).catch(() => undefined);
		if (found?.isSymbolicLink())
			throw new LaunchFailure("MOUNT_FAILED", "The workspace is a folder of the host, which this launch does not name");
	}

	get #folder(): string {
		return this.#dependencies.launch.workspace;
	}

	get #partial(): string {
		return `${this.#folder}.partial`;
	}

	/** Returns the repositories with their checked folders. @throws {LaunchFailure} that names the folder. */
	async #placed(repositories: readonly Repository[]): Promise<Repository[]> {
		if (repositories.length > maxRepositories)
			throw new LaunchFailure("CLONE_FAILED", `A session cannot have more than ${maxRepositories} repositories`);
		const taken = new Set<string>();
		const placed: Repository[] = [];
		for (const repository of repositories.length === 0 ? [ownRepository] : repositories) {
			const path = repositoryPath(repository.path);
			if (path === undefined || taken.has(path) || !(path === "" || (await isFreeOfLinks(this.#folder, path)))) {
				throw new LaunchFailure(
					"CLONE_FAILED",
					`The folder "${repository.path}" cannot hold a repository of the workspace`,
				);
			}
			taken.add(path);
			placed.push({ ...repository, path });
		}
		return placed;
	}

	/** Returns the repositories that are not there. Files without a repository are somebody's work and become one. */
	async #missing(repositories: readonly Repository[]): Promise<Repository[]> {
		const missing: Repository[] = [];
		for (const repository of repositories) {
			const folder = join(this.#folder, repository.path);
			if (await isRepository(folder)) continue;
			const isStarted = repository.path === "" && (await hasFiles(folder));
			missing.push(isStarted ? { ...repository, url: "" } : repository);
		}
		return missing;
	}

	/** Clones beside the workspace, so that half a clone is never taken for a whole one. The first failure ends all. */
	async #cloneAll(repositories: readonly Repository[]): Promise<void> {
		if (repositories.length === 0) return;
		const { progressOf, signal } = this.#dependencies;
		await mkdir(this.#partial, { recursive: true, mode: 0o700 });
		const progress = progressOf(repositories);
		const failed = new AbortController();
		const clones = new FairQueue({ atOnce: concurrent });
		const clone = async (next: [number, Repository]): Promise<void> => {
			if (failed.signal.aborted) return;
			await this.#clone(next, progress, AbortSignal.any([signal, failed.signal])).catch((error: unknown) => {
				failed.abort(error);
			});
		};
		await Promise.all([...repositories.entries()].map((next) => clones.run("", () => clone(next))));
		if (failed.signal.aborted) throw failed.signal.reason;
	}

	async #clone([n, repository]: [number, Repository], progress: CloneProgress, signal: AbortSignal): Promise<void> {
		const { git, launch } = this.#dependencies;
		progress.begin(n);
		await cloneRepository(repository, join(this.#partial, String(n)), {
			git,
			protocols: launch.git_protocols,
			end: this.#end,
			signal,
			onStep: (step) => progress.step(n, step),
		});
		progress.done(n);
	}

	/** Puts a repository into its folder. @param n The number of its clone; -1: it has none, and begins empty. */
	async #place({ url, branch, path }: Repository, n: number): Promise<void> {
		const folder = join(this.#folder, path);
		await mkdir(dirname(folder), { recursive: true });
		if (n === -1) return this.#initialise(folder, branch || firstBranch);
		await rename(join(this.#partial, String(n)), folder).catch((cause: unknown) => {
			throw new LaunchFailure("CLONE_FAILED", `Cannot clone "${url}": its folder in the workspace is in use`, {
				cause,
			});
		});
	}

	async #initialise(folder: string, branch: string): Promise<void> {
		refuseBranch(branch);
		await mkdir(folder, { recursive: true });
		const { git, signal } = this.#dependencies;
		const options = { cwd: folder, timeoutMs: localMs, signal };
		const result = await git.run(["init", "--quiet", "--initial-branch", branch], options);
		if (result.code !== 0)
			throw new LaunchFailure("WORKSPACE_FAILED", `Cannot make the workspace: ${wordsOfGit(result)}`);
	}

	/** Repositories inside of another one are not part of it, so they are left out of its changes. */
	async #ignoreInner(path: string, repositories: readonly Repository[]): Promise<void> {
		const inner = pathsInside(
			path,
			repositories.map((one) => one.path),
		);
		if (inner.length > 0)
			await ignorePaths(
				join(this.#folder, path),
				inner.map((one) => `/${one}/`),
			);
	}
}

async function hasFiles(folder: string): Promise<boolean> {
	const names = await readdir(folder).catch((): string[] => []);
	return names.length > 0;
}
