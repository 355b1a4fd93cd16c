/**
 * Finds what has changed in one work tree since the last look. Its files and commits are compared, so the result does
 * not depend on what tools report. Each look writes a tree of the working copy to a separate object store and
 * compares it with the previous tree.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { answerBytes } from "#shared/base/answer-size.ts";
import { type ChangedFile, readFileList } from "#shared/wire/pod/changed-files.ts";
import { readHead } from "../workspace/diff/head-commit.ts";
import { ShadowRepository } from "../workspace/diff/shadow-repository.ts";
import { emptyTree, type Git, wordsOfGit } from "../workspace/git.ts";
import { fromWorkspace, type WorkTree } from "../workspace/work-tree.ts";
import type { CommandOptions, CommandResult } from "../io/run-command.ts";
import { type Commit, commitFormat, readCommits } from "./commit-list.ts";
import { type ListedPath, readListedPaths } from "./listed-paths.ts";
import { UnreadFiles, type UnreadFile } from "./unread-files.ts";

export interface Changes {
	/** The numbers of lines are 0 for binary and for very large files. */
	readonly files: readonly ChangedFile[];
	/** The commits, oldest first. */
	readonly commits: readonly Commit[];
}

const commandMs = 20_000;
/** The bounds on the content that one look reads. Other files are compared by size and time. */
const maxFileBytes = 32 * 1_048_576;
const maxBytes = 256 * 1_048_576;
const maxFiles = 20_000;
const maxListBytes = 16 * 1_048_576;
const maxCommits = 50;
/** Files that git cannot read are left out. This bounds how many of them one look finds. */
const maxRefused = 10;
/** The times of commits are whole seconds. */
const secondMs = 1_000;

const plain = ["--no-ext-diff", "--no-textconv", "--no-renames"];

export interface WatchPlace {
	/** The folder for temporary files. */
	readonly scratch: string;
	/** Git with the environment for work without a remote. */
	readonly git: Git;
	/** The start in milliseconds since 1970; older commits are not reported. */
	readonly since: number;
}

/** Compares the work tree with its state at the last look. The owner closes it, which removes the object store. */
export class WorkspaceWatch {
	readonly #workTree: WorkTree;
	readonly #git: Git;
	readonly #shadow: ShadowRepository;
	/** The start in milliseconds since 1970; older commits were not made in this session. */
	readonly #since: number;
	readonly #unread = new UnreadFiles();
	readonly #refused = new Set<string>();
	#tree = "";
	/** The index has changes that `#tree` does not have. */
	#isTreeDue = true;
	#head: string | undefined;

	private constructor(workTree: WorkTree, { git, since }: WatchPlace, shadow: ShadowRepository) {
		this.#workTree = workTree;
		this.#git = git;
		this.#shadow = shadow;
		this.#since = Math.floor(since / secondMs) * secondMs;
	}

	/**
	 * Takes the first look, with which later looks are compared.
	 * @throws {NoRepositoryError} without a repository; {Error} with git's own words.
	 */
	static async open(workTree: WorkTree, place: WatchPlace): Promise<WorkspaceWatch> {
		const shadow = await ShadowRepository.make(workTree, place.scratch);
		const watch = new WorkspaceWatch(workTree, place, shadow);
		try {
			await watch.#readFiles();
			await watch.#writeTree();
			watch.#head = await watch.#findHead();
			return watch;
		} catch (error) {
			await shadow.remove();
			throw error;
		}
	}

	/** The path of the work tree below the workspace. */
	get path(): string {
		return this.#workTree.path;
	}

	/** The commit of the work tree; undefined before the first commit. */
	get head(): string | undefined {
		return this.#head;
	}

	/** Takes a look. @throws {Error} with git's own words. */
	async look(): Promise<Changes> {
		const files = await this.#changedFiles();
		const commits = await this.#newCommits();
		return { files, commits };
	}

	/**
	 * Returns what had changed at the last look since a commit, new files included.
	 * @param base The commit; undefined when the session began without one.
	 * @throws {Error} with git's own words.
	 */
	async since(base: string | undefined): Promise<Changes> {
		const files = await this.#compare(base === undefined ? emptyTree : `${base}^{tree}`, this.#tree);
		return { files, commits: await this.#commitsAfter(base, this.#head) };
	}

	close(): Promise<void> {
		return this.#shadow.remove();
	}

	async #changedFiles(): Promise<ChangedFile[]> {
		const unread = await this.#readFiles();
		const before = this.#tree;
		// The tree is written first: if the comparison fails, a repetition would fail too, so the next look starts from
		// this tree.
		if (this.#isTreeDue) await this.#writeTree();
		const changed = this.#tree === before ? [] : await this.#compare(before, this.#tree);
		return [...changed, ...unread.map((change) => this.#named(change))];
	}

	/** Names a change by its path below the workspace. */
	#named<T extends { readonly path: string }>(change: T): T {
		return { ...change, path: fromWorkspace(this.#workTree, change.path) };
	}

	/** Updates the index. Resolves with the changes among the files whose content is not read. */
	async #readFiles(): Promise<ChangedFile[]> {
		const args = ["ls-files", "-z", "-t", "--others", "--modified", "--deleted", "--exclude-standard"];
		const { stdout } = await this.#succeed(args, { maxBytes: maxListBytes });
		const listed = readListedPaths(stdout.toString("utf8")).filter(({ path }) => !this.#refused.has(path));
		const { read, unread } = await this.#divide(listed);
		if (read.length > 0) await this.#updateIndex(read);
		const changes = this.#unread.changes(unread, new Set(read));
		return changes.map((change) => ({ ...change, ins: 0, del: 0 }));
	}

	/** Divides the files into those that are read, within the bounds, and the others. */
	async #divide(listed: readonly ListedPath[]): Promise<{ read: string[]; unread: UnreadFile[] }> {
		const read: string[] = [];
		const unread: UnreadFile[] = [];
		let bytes = 0;
		for (const { path, isNew } of listed) {
			const found = await lstat(join(this.#workTree.folder, path)).catch(() => undefined);
			const size = found?.isFile() ? found.size : 0;
			const fits = size <= maxFileBytes && bytes + size <= maxBytes && read.length < maxFiles;
			if (fits) bytes += size;
			if (fits) read.push(path);
			else unread.push({ path, isNew, stamp: `${size} ${found?.mtimeMs}` });
		}
		return { read, unread };
	}

	async #updateIndex(paths: readonly string[]): Promise<void> {
		let remaining = paths;
		this.#isTreeDue = true;
		for (let refused = 0; ; refused++) {
			const args = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
			const result = await this.#run(args, { input: remaining.map((path) => `${path}\0`).join("") });
			if (result.code === 0) return;
			const path = refusedPath(result);
			if (path === undefined || refused >= maxRefused) throw failure(result);
			this.#refused.add(path);
			remaining = remaining.filter((one) => one !== path);
		}
	}

	async #writeTree(): Promise<void> {
		this.#tree = textOf(await this.#succeed(["write-tree", "--missing-ok"]));
		this.#isTreeDue = false;
	}

	async #compare(from: string, to: string): Promise<ChangedFile[]> {
		const args = ["diff-tree", "-r", "--raw", "--numstat", "-z", "--no-abbrev", ...plain, from, to];
		const { stdout } = await this.#succeed(args, { maxBytes: 4 * answerBytes });
		return readFileList(stdout.toString("utf8")).map((change) => this.#named(change));
	}

	async #newCommits(): Promise<readonly Commit[]> {
		const head = await this.#findHead();
		const commits = await this.#commitsAfter(this.#head, head);
		this.#head = head;
		return commits;
	}

	async #commitsAfter(base: string | undefined, head: string | undefined): Promise<readonly Commit[]> {
		if (head === undefined || head === base) return [];
		const range = base === undefined ? [head] : [head, `^${base}`];
		const args = ["log", "--reverse", `--max-count=${maxCommits}`, "--no-show-signature", "--name-only", commitFormat];
		const { stdout } = await this.#succeed([...args, ...plain, ...range, "--"]);
		return readCommits(stdout.toString("utf8")).filter(({ at }) => Date.parse(at) >= this.#since);
	}

	async #findHead(): Promise<string | undefined> {
		if (this.#workTree.isPlain) return undefined;
		const head = await readHead(join(this.#workTree.folder, ".git"));
		if (head) return head.commit;
		await this.#shadow.refresh();
		const result = await this.#run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
		return result.code === 0 ? textOf(result) : undefined;
	}

	async #succeed(
		args: readonly string[],
		options: Pick<CommandOptions, "input" | "maxBytes"> = {},
	): Promise<CommandResult> {
		const result = await this.#run(args, options);
		if (result.code !== 0 && !result.cut) throw failure(result);
		return result;
	}

	#run(args: readonly string[], options: Pick<CommandOptions, "input" | "maxBytes"> = {}): Promise<CommandResult> {
		const all = ["-c", "core.looseCompression=1", ...this.#shadow.options, ...args];
		return this.#git.run(all, { cwd: this.#workTree.folder, timeoutMs: commandMs, ...options });
	}
}

function textOf({ stdout }: CommandResult): string {
	return stdout.toString("utf8").trim();
}

/** Returns the path that `git update-index` could not read. */
function refusedPath({ words }: CommandResult): string | undefined {
	const [, path] = words.map((line) => /^fatal: Unable to process path (.+)$/.exec(line)).find(Boolean) ?? [];
	return path;
}

function failure(result: CommandResult): Error {
	return new Error(`Cannot look at the workspace: ${wordsOfGit(result)}`);
}
