/**
 * A second git directory for the workspace: the same objects, references and index, but our configuration. What the
 * workspace's own configuration says is never read, because whoever works in it can make git run programs by it:
 * fsmonitor, hooks, filters, diff drivers, fetches of missing objects.
 */
import { mkdir, mkdtemp, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { createFile } from "#shared/files/replaced-file.ts";
import { copyUntrusted, UntrustedFileError } from "#shared/files/untrusted-file.ts";

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

/** What says where branches stand; it changes while somebody works. */
const references = ["HEAD", "packed-refs", "shallow"];
/** An index of some million files. */
const maxCopiedBytes = 512 * 1_048_576;
const copied = [...references, "index", "info/exclude", "info/attributes"];

/** The workspace is no git repository. */
export class NoRepositoryError extends Error {
	override readonly name = "NoRepositoryError";
}

export class ShadowRepository {
	readonly folder: string;
	readonly #original: string;

	private constructor(folder: string, original: string) {
		this.folder = folder;
		this.#original = original;
	}

	/** @param parent Folder it is made in. @throws {NoRepositoryError} */
	static async make(workspace: string, parent: string): Promise<ShadowRepository> {
		const shadow = new ShadowRepository(await mkdtemp(join(parent, ".diff-")), join(workspace, ".git"));
		try {
			await shadow.#fill();
		} catch (error) {
			await shadow.remove();
			throw error;
		}
		return shadow;
	}

	/** What git needs to be told before its command. */
	options(workspace: string): string[] {
		return ["--git-dir", this.folder, "--work-tree", workspace];
	}

	/** The branches as they stand now; the index stays its own. */
	async refresh(): Promise<void> {
		await Promise.all(references.map((name) => this.#copy(name)));
	}

	remove(): Promise<void> {
		return rm(this.folder, { recursive: true, force: true });
	}

	async #fill(): Promise<void> {
		const own = (name: string): string => join(this.folder, name);
		await mkdir(own("info"));
		const found = await Promise.all(copied.map((name) => this.#copy(name)));
		if (!found[copied.indexOf("HEAD")]) throw new NoRepositoryError("The workspace is no git repository");
		// What git writes while it compares, the workspace's own store never gets.
		await mkdir(own("objects/info"), { recursive: true });
		await createFile(own("objects/info/alternates"), `${join(this.#original, "objects")}\n`);
		await symlink(join(this.#original, "refs"), own("refs"));
		await createFile(own("config"), config);
	}

	#copy(name: string): Promise<boolean> {
		return copyFile(join(this.#original, name), join(this.folder, name));
	}
}

/** Returns whether there is such a file. */
async function copyFile(from: string, to: string): Promise<boolean> {
	const changedMs = await copyUntrusted(from, to, maxCopiedBytes).catch((error: unknown) => {
		if (!(error instanceof UntrustedFileError)) throw error;
	});
	if (changedMs === undefined) return false;
	// The index's own time tells git which files may have changed unseen; a younger copy would hide changes.
	const seconds = Math.floor(changedMs / 1_000);
	await utimes(to, seconds, seconds);
	return true;
}
