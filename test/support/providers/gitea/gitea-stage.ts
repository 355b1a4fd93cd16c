/** A Gitea with one organization and one repository, in which ada may do everything and bob may write, and a working copy. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../eventually.ts";
import { commitFiles, git, makeRepository } from "../../repositories/git-repository.ts";
import { GiteaServer } from "./gitea-server.ts";

const words = { passing: "success", failing: "failure", pending: "pending" } as const;

export class GiteaStage implements AsyncDisposable {
	readonly server: GiteaServer;
	readonly user = "ada";
	readonly place = { owner: "acme", name: "engine" };
	readonly #folder: string;
	readonly #work: string;

	private constructor(server: GiteaServer) {
		this.server = server;
		this.#folder = mkdtempSync(join(tmpdir(), "atelier-gitea-work-"));
		this.#work = makeRepository(join(this.#folder, "work"));
		git(this.#work, ["remote", "add", "origin", this.url.replace("://", `://ada:${this.token}@`)]);
		git(this.#work, ["push", "--quiet", "origin", "main"]);
	}

	static async open(): Promise<GiteaStage> {
		const server = await GiteaServer.start();
		try {
			await server.call("ada", "POST", "/orgs", { username: "acme" });
			const settings = { name: "engine", default_branch: "main", private: true };
			await server.call("ada", "POST", "/orgs/acme/repos", settings);
			await server.call("ada", "PUT", "/repos/acme/engine/collaborators/bob", { permission: "write" });
			const stage = new GiteaStage(server);
			// Gitea learns of the first push in the background; until then it knows no pull requests there.
			await eventually(
				async () => {
					const { empty } = (await server.call("ada", "GET", "/repos/acme/engine")) as { empty: boolean };
					return !empty;
				},
				{ withinMs: 60_000, what: "Gitea knows of the first push" },
			);
			return stage;
		} catch (error) {
			await server[Symbol.asyncDispose]();
			throw error;
		}
	}

	/** The URL of the repository for git. */
	get url(): string {
		return `${this.server.url}/acme/engine.git`;
	}

	get token(): string {
		return this.server.token("ada");
	}

	/** Commits files on a branch, which begins at `main` when it is new, and pushes it. Returns the commit. */
	push(branch: string, files: Readonly<Record<string, string>>, message = "work"): string {
		git(this.#work, ["fetch", "--quiet", "origin"]);
		const known = git(this.#work, ["branch", "--remotes", "--list", `origin/${branch}`]).trim();
		git(this.#work, ["checkout", "--quiet", "-B", "work-in-progress", known === "" ? "origin/main" : known]);
		commitFiles(this.#work, files, message);
		git(this.#work, ["push", "--quiet", "origin", `HEAD:refs/heads/${branch}`]);
		return git(this.#work, ["rev-parse", "HEAD"]).trim();
	}

	pushBranches(prefix: string, count: number): void {
		const names = Array.from({ length: count }, (_, index) => `main:refs/heads/${prefix}-${index + 1}`);
		git(this.#work, ["push", "--quiet", "origin", ...names]);
	}

	/** Returns the newest commit of a branch on the server. */
	commitOf(branch: string): string {
		return git(this.#work, ["ls-remote", "origin", `refs/heads/${branch}`]).split("\t")[0] ?? "";
	}

	async check(ref: string, name: string, state: keyof typeof words): Promise<void> {
		const body = { context: name, state: words[state] };
		const sha = /^[0-9a-f]{40}$/.test(ref) ? ref : this.commitOf(ref);
		await this.server.call("ada", "POST", `/repos/acme/engine/statuses/${sha}`, body);
	}

	/** Bob opens a pull request from a fork of his own, whose branch has the name of this one. Returns its number. */
	async openFromFork(branch: string): Promise<number> {
		const { url } = this.server;
		await this.server.call("bob", "POST", "/repos/acme/engine/forks", {});
		git(this.#work, ["checkout", "--quiet", "-B", "work-in-progress", `origin/${branch}`]);
		commitFiles(this.#work, { "stranger.txt": "of a stranger\n" }, "of a stranger");
		const fork = `${url.replace("://", `://bob:${this.server.token("bob")}@`)}/bob/engine.git`;
		git(this.#work, ["push", "--quiet", fork, `HEAD:refs/heads/${branch}`]);
		const order = { title: "Of a stranger", head: `bob:${branch}`, base: "main" };
		const opened = await this.server.call("bob", "POST", "/repos/acme/engine/pulls", order);
		return (opened as { number: number }).number;
	}

	/** Bob, who may write, reviews a pull request. */
	async review(number: number, state: "approved" | "changes_requested"): Promise<void> {
		const event = state === "approved" ? "APPROVED" : "REQUEST_CHANGES";
		await this.server.call("bob", "POST", `/repos/acme/engine/pulls/${number}/reviews`, { event, body: "Seen" });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.server[Symbol.asyncDispose]();
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
