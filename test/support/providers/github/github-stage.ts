/** A fake GitHub with one organization, one repository on disk, two people, and a working copy to push from. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitFiles, git, makeRepository } from "../../repositories/git-repository.ts";
import { FakeGitHub } from "./fake-github.ts";
import type { FakeRepository } from "./github-state.ts";

const runs = { passing: "success", failing: "failure", pending: "pending" } as const;

export class GitHubStage implements AsyncDisposable {
	readonly fake: FakeGitHub;
	readonly repository: FakeRepository;
	/** The person with the token; `grace` is somebody else. */
	readonly user = "ada";
	readonly token: string;
	readonly place = { owner: "acme", name: "engine" };
	readonly #folder: string;
	readonly #work: string;

	private constructor(fake: FakeGitHub, folder: string, token: string) {
		this.fake = fake;
		this.token = token;
		this.#folder = folder;
		this.#work = makeRepository(join(folder, "work"));
		const bare = join(folder, "git/acme/engine.git");
		git(folder, ["clone", "--quiet", "--bare", this.#work, bare]);
		git(this.#work, ["remote", "add", "origin", bare]);
		fake.state.users.push({ login: this.user, token }, { login: "grace", token: `${token}-grace` });
		fake.state.orgs.add("acme");
		this.repository = fake.state.addRepository("acme/engine", bare);
	}

	static async open(): Promise<GitHubStage> {
		const folder = mkdtempSync(join(tmpdir(), "atelier-github-"));
		const fake = await FakeGitHub.listen(join(folder, "git"));
		return new GitHubStage(fake, folder, `ghp_${crypto.randomUUID().replaceAll("-", "")}`);
	}

	/** The URL of the repository for people and for git. */
	get url(): string {
		return `${this.fake.url}/acme/engine`;
	}

	/** Commits files on a branch, which begins at `main` when it is new. Returns the commit. */
	push(branch: string, files: Readonly<Record<string, string>>, message = "work"): string {
		git(this.#work, ["fetch", "--quiet", "origin"]);
		const start = this.repository.git.commitOf(branch) ?? this.repository.git.commitOf("main") ?? "";
		git(this.#work, ["checkout", "--quiet", "-B", "work-in-progress", start]);
		commitFiles(this.#work, files, message);
		git(this.#work, ["push", "--quiet", "origin", `HEAD:refs/heads/${branch}`]);
		return git(this.#work, ["rev-parse", "HEAD"]).trim();
	}

	pushBranches(prefix: string, count: number): void {
		const names = Array.from(
			{ length: count },
			(_, index) => `refs/remotes/origin/main:refs/heads/${prefix}-${index + 1}`,
		);
		git(this.#work, ["fetch", "--quiet", "origin"]);
		git(this.#work, ["push", "--quiet", "origin", ...names]);
	}

	/** Reports a check run; names that begin with `status-` are statuses. */
	check(branch: string, name: string, state: keyof typeof runs): void {
		const kind = name.startsWith("status-") ? "status" : "run";
		this.fake.state.check(this.repository, branch, { name, kind, state: runs[state] });
	}

	/** A stranger opens a pull request from a fork, whose branch has this name. Returns its number. */
	openFromFork(head: string): number {
		const { state } = this.fake;
		const last_head = this.push(`fork-of-${head}`, { "stranger.txt": "of a stranger\n" });
		const number = state.pulls.filter(({ repository }) => repository === this.repository).length + 1;
		const created_at = new Date().toISOString();
		state.pulls.push({
			repository: this.repository,
			number,
			title: "Of a stranger",
			body: "",
			head,
			base: "main",
			draft: false,
			author: "stranger",
			created_at,
			state: "open",
			merged_at: null,
			merge_sha: null,
			last_head,
			labels: [],
			is_from_fork: true,
		});
		return number;
	}

	/** Grace reviews a pull request. */
	review(number: number, state: "approved" | "changes_requested"): void {
		const pull = this.fake.state.pull(this.repository, number);
		if (!pull) throw new TypeError(`There is no pull request ${number}`);
		this.fake.state.review(pull, "grace", state === "approved" ? "APPROVED" : "CHANGES_REQUESTED");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.fake[Symbol.asyncDispose]();
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
