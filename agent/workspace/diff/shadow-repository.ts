/**
 * A second git directory for the workspace: it has the same objects, references and index, but a configuration of the
 * platform. The workspace's own configuration is never read, because anybody who works there could make git run
 * programs by it: fsmonitor, hooks, filters, diff drivers, fetches of missing objects.
 */
import { mkdir, mkdtemp, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { createFile } from "#shared/files/replaced-file.ts";
import { copyUntrusted, UntrustedFileError } from "#shared/files/untrusted-file.ts";
import { NoRepositoryError } from "./diff-errors.ts";

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
/** The bound fits an index of some million files. */
const maxCopiedBytes = 512 * 1_048_576;
const copied = [...references, "index", "info/exclude", "info/attributes"];

/** Owns the second directory until it is removed. */
export class ShadowRepository {
	readonly folder: string;
	readonly #original: string;

	private constructor(folder: string, original: string) {
		this.folder = folder;
		this.#original = original;
	}

	/** Makes the directory. @param parent The folder in which it is made. @throws {NoRepositoryError} */
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

	/** Returns the options that come before the command of git. */
	options(workspace: string): string[] {
		return ["--git-dir", this.folder, "--work-tree", workspace];
	}

	/** Copies the state of the branches; the index stays as it is. */
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
		// Objects that git writes during a comparison stay out of the workspace's own store.
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
	// Git compares the time of the index with those of the files to find changes; a newer time would hide some.
	const seconds = Math.floor(changedMs / 1_000);
	await utimes(to, seconds, seconds);
	return true;
}
