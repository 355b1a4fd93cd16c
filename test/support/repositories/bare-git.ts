/** Answers what a git host knows from a bare repository on disk: branches, commits, differences, merges. */
import { execFileSync, spawnSync } from "node:child_process";

/** One branch. */
export interface BareBranch {
	readonly name: string;
	readonly sha: string;
}

/** One commit. */
export interface BareCommit {
	readonly sha: string;
	readonly message: string;
	/** ISO 8601. */
	readonly at: string;
	readonly author: string;
	readonly email: string;
}

/** One file that differs between two commits. */
export interface BareFile {
	readonly path: string;
	readonly additions: number;
	readonly deletions: number;
}

const environment = {
	PATH: process.env["PATH"],
	HOME: "/nonexistent",
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_AUTHOR_NAME: "Merge",
	GIT_AUTHOR_EMAIL: "merge@example.org",
	GIT_COMMITTER_NAME: "Merge",
	GIT_COMMITTER_EMAIL: "merge@example.org",
};

/** A bare repository. */
export class BareGit {
	readonly path: string;

	constructor(path: string) {
		this.path = path;
	}

	branches(): BareBranch[] {
		const lines = this.#run("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads").split("\n");
		return lines.flatMap((line) => {
			const [sha = "", name] = line.split(" ");
			return name === undefined ? [] : [{ name, sha }];
		});
	}

	/** Returns the commit of a branch, or of a commit's own name; undefined when there is none. */
	commitOf(ref: string): string | undefined {
		const names = /^[0-9a-f]{40}$/.test(ref) ? [`${ref}^{commit}`] : [`refs/heads/${ref}^{commit}`];
		const { status, stdout } = this.#try("rev-parse", "--verify", "--quiet", ...names);
		return status === 0 ? stdout.trim() : undefined;
	}

	/** Whether the commits can be merged without a conflict. */
	canMerge(base: string, head: string): boolean {
		return this.#try("merge-tree", "--write-tree", base, head).status === 0;
	}

	/** Returns the number of commits that a branch has beyond another one. */
	ahead(base: string, head: string): number {
		return Number(this.#run("rev-list", "--count", `${base}..${head}`));
	}

	/** Merges into a branch and returns the new commit. */
	merge(branch: string, head: string, { method, message }: { method: string; message: string }): string {
		const base = this.commitOf(branch) ?? "";
		const tree = this.#run("merge-tree", "--write-tree", base, head).split("\n")[0] ?? "";
		const parents = method === "merge" ? ["-p", base, "-p", head] : ["-p", base];
		const sha = this.#run("commit-tree", tree, ...parents, "-m", message);
		this.#run("update-ref", `refs/heads/${branch}`, sha, base);
		return sha;
	}

	/** Returns the files that a branch changed since it left the other one. */
	files(base: string, head: string): BareFile[] {
		const lines = this.#run("diff", "--numstat", "-z", "--no-renames", `${base}...${head}`).split("\0");
		return lines.flatMap((line) => {
			const [additions, deletions, path] = line.split("\t");
			if (path === undefined) return [];
			return [{ path, additions: Number(additions) || 0, deletions: Number(deletions) || 0 }];
		});
	}

	/** Returns the commits of a branch, newest first. @param since ISO 8601; empty: all. */
	commits(ref: string, since = ""): BareCommit[] {
		const limit = since === "" ? [] : [`--since=${since}`];
		const records = this.#run("log", "-z", "--format=%H%x1f%cI%x1f%an%x1f%ae%x1f%B", ...limit, ref).split("\0");
		return records.flatMap((record) => {
			const [sha = "", at = "", author = "", email = "", message] = record.split("\u001f");
			return message === undefined
				? []
				: [{ sha: sha.trim(), at: new Date(at).toISOString(), author, email, message: message.trim() }];
		});
	}

	#try(...args: string[]): { status: number | null; stdout: string } {
		const { status, stdout } = spawnSync("git", ["-C", this.path, ...args], {
			encoding: "utf8",
			env: environment,
			maxBuffer: 33_554_432,
		});
		return { status, stdout };
	}

	#run(...args: string[]): string {
		return execFileSync("git", ["-C", this.path, ...args], {
			encoding: "utf8",
			env: environment,
			stdio: ["ignore", "pipe", "pipe"],
			maxBuffer: 33_554_432,
		}).trim();
	}
}
