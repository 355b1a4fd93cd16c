/** A fake GitLab with one project in a sub-group, on disk, two people, and a working copy to push from. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitFiles, git, makeRepository } from "../../repositories/git-repository.ts";
import { FakeGitLab } from "./fake-gitlab.ts";
import type { FakeMergeRequest, FakeProject } from "./gitlab-state.ts";

const words = { passing: "success", failing: "failed", pending: "running" } as const;

export class GitLabStage implements AsyncDisposable {
	readonly fake: FakeGitLab;
	readonly project: FakeProject;
	/** The person with the token; `grace` is somebody else. */
	readonly user = "ada";
	readonly token = `glpat-${crypto.randomUUID()}`;
	readonly place = { owner: "acme/motors", name: "engine" };
	readonly #folder: string;
	readonly #work: string;

	private constructor(fake: FakeGitLab) {
		this.fake = fake;
		this.#folder = mkdtempSync(join(tmpdir(), "atelier-gitlab-"));
		this.#work = makeRepository(join(this.#folder, "work"));
		const bare = join(this.#folder, "engine.git");
		git(this.#folder, ["clone", "--quiet", "--bare", this.#work, bare]);
		git(this.#work, ["remote", "add", "origin", bare]);
		fake.state.users.push({ username: this.user, token: this.token });
		fake.state.users.push({ username: "grace", token: `${this.token}-grace` });
		this.project = fake.state.addProject("acme/motors/engine", bare);
	}

	static async open(): Promise<GitLabStage> {
		return new GitLabStage(await FakeGitLab.listen());
	}

	/** Commits files on a branch, which begins at `main` when it is new. Returns the commit. */
	push(branch: string, files: Readonly<Record<string, string>>, message = "work"): string {
		git(this.#work, ["fetch", "--quiet", "origin"]);
		const start = this.project.git.commitOf(branch) ?? this.project.git.commitOf("main") ?? "";
		git(this.#work, ["checkout", "--quiet", "-B", "work-in-progress", start]);
		commitFiles(this.#work, files, message);
		git(this.#work, ["push", "--quiet", "origin", `HEAD:refs/heads/${branch}`]);
		return git(this.#work, ["rev-parse", "HEAD"]).trim();
	}

	pushBranches(prefix: string, count: number): void {
		const names = Array.from({ length: count }, (_, index) => `main:refs/heads/${prefix}-${index + 1}`);
		git(this.#work, ["push", "--quiet", "origin", ...names]);
	}

	check(branch: string, name: string, state: keyof typeof words): void {
		this.fake.state.setStatus(this.project, branch, { name, status: words[state], allow_failure: false });
	}

	/** A stranger opens a merge request from a fork, whose branch has this name. Returns its number. */
	openFromFork(source: string): number {
		const { state } = this.fake;
		const created_at = new Date().toISOString();
		const sha = this.push(`fork-of-${source}`, { "stranger.txt": "of a stranger\n" });
		const iid = state.requests.filter(({ project }) => project === this.project).length + 1;
		state.requests.push({
			project: this.project,
			iid,
			title: "Of a stranger",
			description: "",
			source,
			target: "main",
			labels: [],
			author: "grace",
			created_at,
			versions: [{ sha, at: created_at }],
			approvals: [],
			reviewers: [],
			state: "opened",
			merge_commit_sha: null,
			squash_commit_sha: null,
			merged_at: null,
			checking: 0,
			is_from_fork: true,
		});
		return iid;
	}

	/** Grace reviews a merge request. */
	review(iid: number, state: "approved" | "changes_requested"): void {
		const at = new Date().toISOString();
		const request = this.request(iid);
		this.fake.state.headOf(request);
		if (state === "approved") request.approvals.push({ username: "grace", at });
		else request.reviewers.push({ username: "grace", state: "requested_changes", at });
	}

	/** Returns what the fake knows of a merge request. */
	request(iid: number): FakeMergeRequest {
		const request = this.fake.state.request(this.project, iid);
		if (!request) throw new TypeError(`There is no merge request ${iid}`);
		return request;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.fake[Symbol.asyncDispose]();
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
