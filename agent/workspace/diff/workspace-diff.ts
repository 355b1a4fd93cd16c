/**
 * Finds what has changed in the workspace, new files included, even if somebody prepared the workspace to mislead
 * git.
 */
import { join } from "node:path";
import type { DiffFileList, DiffPatch, FileDiff } from "#shared/contracts/session-diff.ts";
import { deadline } from "#shared/clock.ts";
import { readUntrusted } from "#shared/files/untrusted-file.ts";
import { answerBytes } from "#shared/pod/answer-size.ts";
import { fitFileList, readFileList } from "#shared/pod/changed-files.ts";
import { fitPatch, readFileDiff } from "#shared/pod/diff-output.ts";
import { pathBelow } from "#shared/pod/path-below.ts";
import { emptyTree, type Git, wordsOfGit } from "../git.ts";
import type { CommandResult } from "../../io/run-command.ts";
import { DiffFailedError, DiffQuestionError, DiffTimeoutError } from "./diff-errors.ts";
import { readHead } from "./head-commit.ts";
import { ShadowRepository } from "./shadow-repository.ts";
import { Semaphore } from "./semaphore.ts";

const limitMs = 30_000;
const concurrent = 2;
const waiting = 16;
/** The bound on the patch that outlives the pod, in bytes of JSON. */
const maxStoredBytes = 2 * 1_048_576;
/** The bound on the list of files in the index, in bytes; an entry takes about 100. */
const maxIndexBytes = 128 * 1_048_576;

/**
 * The options keep git from starting a program that the workspace chose, and from looking into inner repositories,
 * which have configurations too.
 */
const diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"];

/** The bound fits an index of a hundred thousand files; a larger one is left to git. */
const maxReadIndexBytes = 16 * 1_048_576;

/** Mode 160000 in the form that every version of the index has. */
const gitlinkMode = Buffer.from([0, 0, 0o160000 >> 8, 0]);

type RunGit = (args: readonly string[], input?: string, maxBytes?: number) => Promise<CommandResult>;

/** Answers questions about the changes of one workspace. */
export class WorkspaceDiff {
	readonly #workspace: string;
	readonly #scratch: string;
	readonly #git: Git;
	readonly #semaphore = new Semaphore(concurrent, waiting);

	/**
	 * @param scratch The folder for temporary files.
	 * @param git Git with the environment for work without a remote.
	 */
	constructor(workspace: string, scratch: string, git: Git) {
		this.#workspace = workspace;
		this.#scratch = scratch;
		this.#git = git;
	}

	/** @param base One of `last-commit` and `default-branch`. @throws one of diff-errors.ts, as all diffs do. */
	files(base: string): Promise<DiffFileList> {
		return this.#compare(base, async (run, commit) => {
			const args = [...diff, "--raw", "--numstat", "-z", "--no-renames", "--no-abbrev", commit];
			const { stdout } = await succeed(run(args, "", 4 * answerBytes));
			return fitFileList(readFileList(stdout.toString("utf8")), answerBytes);
		});
	}

	/** @param file A path below the workspace. */
	async file(file: string, base: string): Promise<FileDiff> {
		const path = pathBelow(file);
		if (path === undefined) throw new DiffQuestionError(`"${file}" is no path of a file below the workspace`);
		return this.#compare(base, async (run, commit) => {
			const { stdout } = await succeed(run(["--literal-pathspecs", ...diff, commit, "--", path], "", 4 * answerBytes));
			return readFileDiff(path, stdout.toString("utf8"), answerBytes);
		});
	}

	/** The unified diff of everything, cut at the end of a file. */
	patch(base: string): Promise<DiffPatch> {
		return this.#compare(base, async (run, commit) => {
			const { stdout, cut } = await succeed(run([...diff, commit], "", answerBytes));
			return fitPatch(stdout.toString("utf8"), cut, answerBytes);
		});
	}

	/** The same as {@link patch}, without renames and with a larger bound. It is stored for the time without a workspace. */
	wholePatch(): Promise<DiffPatch> {
		return this.#compare("last-commit", async (run, commit) => {
			const { stdout, cut } = await succeed(run([...diff, "--no-renames", commit], "", maxStoredBytes));
			return fitPatch(stdout.toString("utf8"), cut, maxStoredBytes);
		});
	}

	#compare<T>(base: string, compare: (run: RunGit, commit: string) => Promise<T>): Promise<T> {
		const signal = deadline(limitMs);
		return this.#semaphore.use(signal, async () => {
			const shadow = await ShadowRepository.make(this.#workspace, this.#scratch);
			try {
				const run: RunGit = (args, input = "", maxBytes = 65_536) =>
					this.#git.run([...shadow.options(this.#workspace), ...args], {
						cwd: this.#workspace,
						timeoutMs: limitMs,
						signal,
						input,
						maxBytes,
					});
				const commit = await this.#findBase(run, base);
				await addNewFiles(run, await mayHoldRepositories(shadow));
				return await compare(run, commit);
			} catch (error) {
				throw signal.aborted ? new DiffTimeoutError(`The diff took more than ${limitMs / 1_000} s`) : error;
			} finally {
				await shadow.remove();
			}
		});
	}

	async #findBase(run: RunGit, base: string): Promise<string> {
		if (base === "default-branch") return findCommonBase(run);
		if (base !== "last-commit") {
			throw new DiffQuestionError(`There is no base "${base.slice(0, 40)}"; known: last-commit, default-branch`);
		}
		const plain = await readHead(join(this.#workspace, ".git"));
		const head = plain ? plain.commit : await commitOf(run, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
		return head ?? emptyTree;
	}
}

async function findCommonBase(run: RunGit): Promise<string> {
	const common = await commitOf(run, ["merge-base", "HEAD", "refs/remotes/origin/HEAD"]);
	if (common === undefined)
		throw new DiffQuestionError("The workspace has no default branch of a remote to compare with");
	return common;
}

async function commitOf(run: RunGit, args: readonly string[]): Promise<string | undefined> {
	const { code, stdout } = await run(args);
	return code === 0 ? stdout.toString("utf8").trim() : undefined;
}

/**
 * Adds new files, which are changes too. Inner repositories that the outer one has recorded are left out: to find
 * their changes, git would start itself inside them.
 */
async function addNewFiles(run: RunGit, holdsRepositories: boolean): Promise<void> {
	const inner = holdsRepositories ? await innerRepositories(run) : [];
	const args = ["add", "--all", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"];
	await succeed(run(args, ["."].concat(inner).join("\0")));
}

/** Returns patterns that leave the inner repositories out. */
async function innerRepositories(run: RunGit): Promise<string[]> {
	const { stdout } = await succeed(run(["ls-files", "--stage", "-z"], "", maxIndexBytes));
	return gitlinks(stdout).map((path) => `:(exclude,literal)${path}`);
}

/** Returns false when the index has no entry of their kind, so that git need not be started. */
async function mayHoldRepositories({ folder }: ShadowRepository): Promise<boolean> {
	return readUntrusted(join(folder, "index"), maxReadIndexBytes).then(
		(index) => index?.includes(gitlinkMode) ?? false,
		// The index is larger, or cannot be read.
		() => true,
	);
}

/** Returns the paths of inner repositories from lines of the form `160000 <id> <stage>\t<path>`. */
function gitlinks(listing: Buffer): string[] {
	if (!listing.includes("160000 ")) return [];
	const entries = listing.toString("utf8").split("\0");
	return entries.filter((entry) => entry.startsWith("160000 ")).map((entry) => entry.slice(entry.indexOf("\t") + 1));
}

/** A program that was ended because it wrote too much has not failed. */
async function succeed(running: Promise<CommandResult>): Promise<CommandResult> {
	const result = await running;
	if (result.code !== 0 && !result.cut)
		throw new DiffFailedError(`Cannot compare the workspace: ${wordsOfGit(result)}`);
	return result;
}
