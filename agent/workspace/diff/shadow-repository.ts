/**
 * A second git directory for the workspace: it has the same objects, references and index, but a configuration of the
 * platform. The workspace's own configuration is never read, because anybody who works there could make git run
 * programs by it: fsmonitor, hooks, filters, diff drivers, fetches of missing objects.
 */
import { mkdir, mkdtemp, rm, stat, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { createFile, replaceFile } from "#shared/base/files/replaced-file.ts";
import { copyUntrusted, readUntrusted, UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { isInPlace, type WorkTree } from "../work-tree.ts";
import { NoRepositoryError } from "./diff-errors.ts";
import { type GitFolders, gitFoldersOf } from "./git-folders.ts";

const config = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = true
	hooksPath = /dev/null
	fsmonitor = false
	bigFileThreshold = 64m
[gc]
	auto = 0
`;

/** The files that tell where branches stand; they change while somebody works. */
const references = ["HEAD", "packed-refs", "shallow"];
/** The files that each work tree of a repository has of its own. */
const ownFiles: ReadonlySet<string> = new Set(["HEAD", "index"]);
/** The bound fits an index of some million files. */
const maxCopiedBytes = 512 * 1_048_576;
/** A longer list of ignored files has no effect in a workspace of several repositories. */
const maxExcludeBytes = 1_048_576;
const copied = [...references, "index", "info/exclude", "info/attributes"];

/** Owns the second directory until it is removed. */
export class ShadowRepository {
	readonly folder: string;
	readonly #tree: WorkTree;
	readonly #original: GitFolders;

	private constructor(folder: string, tree: WorkTree, original: GitFolders) {
		this.folder = folder;
		this.#tree = tree;
		this.#original = original;
	}

	/** Makes the directory. @param parent The folder in which it is made. @throws {NoRepositoryError} */
	static async make(tree: WorkTree, parent: string): Promise<ShadowRepository> {
		const original = await gitFoldersOf(tree);
		const shadow = new ShadowRepository(await mkdtemp(join(parent, ".diff-")), tree, original);
		try {
			await shadow.#fill();
		} catch (error) {
			await shadow.remove();
			throw error;
		}
		return shadow;
	}

	/** Returns the options that come before the command of git. */
	get options(): string[] {
		return ["--git-dir", this.folder, "--work-tree", this.#tree.folder];
	}

	/** Copies the state of the branches; the index stays as it is. */
	async refresh(): Promise<void> {
		if (this.#tree.isPlain) return;
		await Promise.all(references.map((name) => this.#copy(name)));
	}

	remove(): Promise<void> {
		return rm(this.folder, { recursive: true, force: true });
	}

	async #fill(): Promise<void> {
		const own = (name: string): string => join(this.folder, name);
		await mkdir(own("info"));
		// Objects that git writes during a comparison stay out of the workspace's own store.
		await mkdir(own("objects/info"), { recursive: true });
		await createFile(own("config"), config);
		await (this.#tree.isPlain ? this.#begin() : this.#copyAll());
		const { inner, leftOut = [] } = this.#tree;
		if (inner.length + leftOut.length > 0) await this.#leaveOut(inner, leftOut);
	}

	/** Makes the directory of a folder that is no repository: without a commit, and with an empty index. */
	async #begin(): Promise<void> {
		await mkdir(join(this.folder, "refs"));
		await createFile(join(this.folder, "HEAD"), "ref: refs/heads/main\n");
	}

	async #copyAll(): Promise<void> {
		if (this.#tree.path !== "" && !(await isInPlace(this.#tree)))
			throw new NoRepositoryError(`"${this.#tree.path}" is a link and no repository of the workspace`);
		const found = await Promise.all(copied.map((name) => this.#copy(name)));
		if (!found[copied.indexOf("HEAD")]) throw new NoRepositoryError("The workspace is no git repository");
		await createFile(join(this.folder, "objects/info/alternates"), `${join(this.#original.common, "objects")}\n`);
		await symlink(join(this.#original.common, "refs"), join(this.folder, "refs"));
	}

	/** Leaves out the inner work trees; one that is no repository any more counts as a part of this one. */
	async #leaveOut(inner: readonly string[], others: readonly string[]): Promise<void> {
		const there = await Promise.all(inner.map((path) => isRepository(join(this.#tree.folder, path))));
		const lines = [
			...inner.filter((_path, n) => there[n]).map((path) => `/${path}/\n`),
			...others.map((path) => `/${path}\n`),
		];
		const file = join(this.folder, "info/exclude");
		const text = (await readUntrusted(file, maxExcludeBytes).catch(() => undefined))?.toString("utf8") ?? "";
		await replaceFile(file, `${text}\n${lines.join("")}`);
	}

	#copy(name: string): Promise<boolean> {
		const { own, common } = this.#original;
		return copyFile(join(ownFiles.has(name) ? own : common, name), join(this.folder, name));
	}
}

/** Whether a folder is a repository, as far as its names tell. */
export async function isRepository(folder: string): Promise<boolean> {
	return (await stat(join(folder, ".git", "HEAD")).catch(() => undefined)) !== undefined;
}

/** Returns whether there is such a file. */
async function copyFile(from: string, to: string): Promise<boolean> {
	const changedMs = await copyUntrusted(from, to, maxCopiedBytes).catch((error: unknown) => {
		if (!(error instanceof UntrustedFileError)) throw error;
	});
	if (changedMs === undefined) return false;
	// Git compares the time of the index with those of the files to find changes; a newer time would hide some.
	const seconds = Math.floor(changedMs / 1_000);
	await utimes(to, seconds, seconds);
	return true;
}
