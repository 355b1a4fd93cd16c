/** Finds what has changed in one work tree, also if somebody prepared the workspace to mislead git. */
import { join } from "node:path";
import type { DiffFileList, DiffPatch, FileDiff } from "#shared/contracts/sessions/session-diff.ts";
import { deadline } from "#shared/base/clock.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { bound } from "#shared/base/bounds.ts";
import type { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { fitFileList, readFileList } from "#shared/wire/pod/changed-files.ts";
import { cutPatch, fitPatch, maxOmitted, readFileDiff } from "#shared/wire/pod/diff-output.ts";
import { pathBelow } from "#shared/wire/pod/path-below.ts";
import { fromWorkspace, type WorkTree } from "../work-tree.ts";
import { emptyTree, type Git } from "../git.ts";
import { DiffQuestionError, DiffTimeoutError } from "./diff-errors.ts";
import { diffQueue } from "./diff-queue.ts";
import { succeed } from "./succeed.ts";
import { withBinaries } from "./binary-changes.ts";
import { readHead } from "./head-commit.ts";
import { addNewFiles, allBut, type LeftOut, type RunGit } from "./new-files.ts";
import { ShadowRepository } from "./shadow-repository.ts";
import { withoutPermissionFiles } from "../permission-files.ts";

/** The bound on the patch that outlives the pod, in bytes of JSON. */
export const maxStoredPatchBytes = 2 * 1_048_576;
/** The bound on the list of files in the index, in bytes; an entry takes about 100. */
const maxIndexBytes = 128 * 1_048_576;

/** These options keep git from starting a program that the workspace chose, also in inner repositories. */
const diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"];

/** The bound fits an index of a hundred thousand files; a larger one is left to git. */
const maxReadIndexBytes = 16 * 1_048_576;

/** Mode 160000 in the form that every version of the index has. */
const gitlinkMode = Buffer.from([0, 0, 0o160000 >> 8, 0]);

export interface Comparison {
	/** @param base One of `last-commit` and `default-branch`. @throws one of diff-errors.ts, as all diffs do. */
	files(base: string): Promise<DiffFileList>;
	/** @param file A path below the workspace. */
	file(file: string, base: string): Promise<FileDiff>;
	/** The unified diff of everything, cut at the end of a file. */
	patch(base: string): Promise<DiffPatch>;
	/** The same as {@link patch}, without renames and with a larger bound. It is stored for the time without a workspace. */
	wholePatch(base: string): Promise<DiffPatch>;
}

export interface DiffPlace {
	/** The folder for temporary files. */
	readonly scratch: string;
	/** Git with the environment for work without a remote. */
	readonly git: Git;
	/** Files in which the agent keeps its permissions; those that git does not know are no changes. */
	readonly permissionFiles?: readonly string[];
	/** Comparisons that share it take turns. The default is one of the comparison's own. */
	readonly queue?: FairQueue;
	/** The tree is one of several: without a remote's default branch, everything in it counts as changed. */
	readonly isOneOfSeveral?: boolean;
}

/** Answers questions about the changes of one work tree; the paths in answers are those below the workspace. */
export class WorkspaceDiff implements Comparison {
	readonly #tree: WorkTree;
	readonly #place: DiffPlace;
	readonly #queue: FairQueue;

	constructor(tree: WorkTree, place: DiffPlace) {
		this.#tree = tree;
		this.#place = place;
		this.#queue = place.queue ?? diffQueue(bound.waitingDiffsOfPod);
	}

	files(base: string): Promise<DiffFileList> {
		return this.#compare(base, async (run, commit, { unadded, unread }) => {
			const args = [...diff, "--raw", "-z", "--no-renames", "--no-abbrev"];
			const list = async (options: readonly string[]) => {
				const { stdout } = await succeed(run(options, "", 4 * answerBytes));
				return readFileList(stdout.toString("utf8"));
			};
			const counted = await list([...args, "--numstat", commit, ...allBut(unread)]);
			// Git does not read the files when it counts no lines.
			const large = unread.length === 0 ? [] : await list(["--literal-pathspecs", ...args, commit, "--", ...unread]);
			const others = unadded.map((path) => ({ path, status: "new" as const, ins: 0, del: 0 }));
			return fitFileList(
				[...counted, ...large, ...others].map((file) => ({ ...file, path: fromWorkspace(this.#tree, file.path) })),
				answerBytes,
			);
		});
	}

	async file(file: string, base: string): Promise<FileDiff> {
		const wanted = pathBelow(file);
		const path = wanted === undefined ? undefined : this.#below(wanted);
		if (wanted === undefined || path === undefined)
			throw new DiffQuestionError(`"${file}" is no path of a file below the workspace`);
		return this.#compare(base, async (run, commit, { unread }) => {
			if (unread.includes(path)) return { filePath: wanted, hunks: [], truncated: true };
			const { stdout } = await succeed(run(["--literal-pathspecs", ...diff, commit, "--", path], "", 4 * answerBytes));
			return readFileDiff(wanted, stdout.toString("utf8"), answerBytes);
		});
	}

	patch(base: string): Promise<DiffPatch> {
		return this.#patch(base, fitPatch, answerBytes);
	}

	wholePatch(base: string): Promise<DiffPatch> {
		return this.#patch(base, cutPatch, maxStoredPatchBytes, "--no-renames");
	}

	/** Returns git's patch with the contents of binary files, cut to `maxBytes` by `fit`. */
	#patch(base: string, fit: typeof fitPatch, maxBytes: number, ...options: string[]): Promise<DiffPatch> {
		const { folder } = this.#tree;
		return this.#compare(base, async (run, commit, leftOut) => {
			const args = [...diff, ...this.#prefixes, ...options];
			const rest = allBut(leftOut.unread);
			const { stdout, cut } = await succeed(run([...args, commit, ...rest], "", maxBytes));
			const comparison = { run, args, commit, rest, folder, maxBytes };
			const patch = await withBinaries(stdout.toString("utf8"), comparison);
			return this.#naming(fit(patch, cut, maxBytes), leftOut);
		});
	}

	/** Names what was left out among the files that are not in the patch. */
	#naming(patch: DiffPatch, { unadded, unread }: LeftOut): DiffPatch {
		if (unadded.length + unread.length === 0) return patch;
		const named = [...unadded, ...unread].map((path) => fromWorkspace(this.#tree, path));
		return { ...patch, truncated: true, omitted: [...(patch.omitted ?? []), ...named].slice(0, maxOmitted) };
	}

	/** The options with which a patch names paths below the workspace. Git writes the names of renames without them. */
	get #prefixes(): string[] {
		const { path } = this.#tree;
		return path === "" ? [] : [`--src-prefix=a/${path}/`, `--dst-prefix=b/${path}/`, "--no-renames"];
	}

	/** Returns the path below the tree; undefined when it is outside. */
	#below(path: string): string | undefined {
		if (this.#tree.path === "") return path;
		return path.startsWith(`${this.#tree.path}/`) ? path.slice(this.#tree.path.length + 1) : undefined;
	}

	#compare<T>(base: string, compare: (run: RunGit, commit: string, leftOut: LeftOut) => Promise<T>): Promise<T> {
		const signal = deadline(bound.diffMs);
		return this.#queue.run("", async () => {
			const shadow = await ShadowRepository.make(this.#tree, this.#place.scratch);
			try {
				const run: RunGit = (args, input = "", maxBytes = 65_536) =>
					this.#place.git.run([...shadow.options, ...args], {
						cwd: this.#tree.folder,
						timeoutMs: bound.diffMs,
						signal,
						input,
						maxBytes,
					});
				const commit = await this.#findBase(run, base);
				const leftOut = await addNewFiles(run, this.#tree.folder, [
					...((await mayHoldRepositories(shadow)) ? await innerRepositories(run) : []),
					...withoutPermissionFiles(this.#place.permissionFiles ?? []),
				]);
				return await compare(run, commit, leftOut);
			} catch (error) {
				throw signal.aborted ? new DiffTimeoutError(`The diff took more than ${bound.diffMs / 1_000} s`) : error;
			} finally {
				await shadow.remove();
			}
		});
	}

	async #findBase(run: RunGit, base: string): Promise<string> {
		if (base !== "last-commit" && base !== "default-branch") {
			throw new DiffQuestionError(`There is no base "${base.slice(0, 40)}"; known: last-commit, default-branch`);
		}
		if (this.#tree.isPlain) return emptyTree;
		if (base === "default-branch") return this.#findCommonBase(run);
		const plain = await readHead(join(this.#tree.folder, ".git"));
		const head = plain ? plain.commit : await commitOf(run, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
		return head ?? emptyTree;
	}

	async #findCommonBase(run: RunGit): Promise<string> {
		const common = await commitOf(run, ["merge-base", "HEAD", "refs/remotes/origin/HEAD"]);
		if (common !== undefined) return common;
		if (this.#place.isOneOfSeveral) return emptyTree;
		throw new DiffQuestionError("The workspace has no default branch of a remote to compare with");
	}
}

async function commitOf(run: RunGit, args: readonly string[]): Promise<string | undefined> {
	const { code, stdout } = await run(args);
	return code === 0 ? stdout.toString("utf8").trim() : undefined;
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
