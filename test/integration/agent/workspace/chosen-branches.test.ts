/** The branch that an update of a session has chosen, in a workspace that is there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { LaunchFailure } from "#agent/io/launch-failure.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { followBranches, rememberBranches } from "#agent/workspace/chosen-branches.ts";
import { Git } from "#agent/workspace/git.ts";
import { failureOf } from "../../../support/failure-of.ts";
import type { RepositoryBranch } from "#shared/wire/pod/status.ts";
import { commitFiles, git, makeRepository } from "../../../support/repositories/git-repository.ts";
import { useFolder } from "../../../support/use-folder.ts";

const environment = {
	PATH: process.env["PATH"] ?? "",
	HOME: "/nonexistent",
	GIT_CONFIG_NOSYSTEM: "1",
	LC_ALL: "C",
	GIT_OPTIONAL_LOCKS: "0",
};

describe("followBranches()", () => {
	const folder = useFolder();
	const workspace = () => join(folder(), "workspace");
	const current = (path = "") => git(join(workspace(), path), ["branch", "--show-current"]).trim();

	beforeEach(() => {
		makeRepository(workspace(), { "a.txt": "a\n", "b.txt": "b\n" });
		git(workspace(), ["switch", "--quiet", "--create", "feature"]);
		commitFiles(workspace(), { "a.txt": "other\n" }, "second");
		git(workspace(), ["switch", "--quiet", "main"]);
	});

	/** A launch whose session has this branch. */
	async function launch(
		branch: string,
		more: readonly string[] = [],
		missing: readonly string[] = [],
		base_branch = "",
	): Promise<RepositoryBranch[]> {
		const repositories = ["", ...more].map((path) => ({ url: "", base_branch, path, branch: path ? "main" : branch }));
		const places = {
			workspace: workspace(),
			state: join(folder(), "state"),
			git: new Git(environment, new LogBuffer([])),
			signal: new AbortController().signal,
		};
		const made = new Set(missing);
		await followBranches(repositories, made, places);
		return rememberBranches(repositories, made, places);
	}

	it("switches to a branch that was chosen since the last launch, with what is not committed", async () => {
		await launch("main", [], [""]);
		writeFileSync(join(workspace(), "b.txt"), "mine\n");
		await launch("feature");
		expect(current()).to.equal("feature");
		expect(readFileSync(join(workspace(), "b.txt"), "utf8")).to.equal("mine\n");
	});

	it("begins a branch that the clone does not have at its base, and refuses one without a base", async () => {
		await launch("main");
		const failure = await failureOf<LaunchFailure>(launch("featur"));
		expect([failure.code, failure.message]).to.deep.equal([
			"BRANCH_UNKNOWN",
			'The clone of the session has no branch "featur"; did you mean "feature"? A branch that the remote got since then has to be fetched in the session. To make a new branch, name the branch that it begins at as "base_branch"',
		]);
		expect((await failureOf<LaunchFailure>(launch("new/one", [], [], "none"))).message).to.match(
			/^The clone .* has no branch "none", which is the "base_branch" of the session; it has/,
		);
		expect(current()).to.equal("main");
		await launch("new/one", [], [], "feature");
		expect(current()).to.equal("new/one");
		expect(readFileSync(join(workspace(), "a.txt"), "utf8")).to.equal("other\n");
		git(workspace(), ["update-ref", "refs/remotes/origin/far", "main"]);
		await launch("new/two", [], [], "far");
		expect([current(), readFileSync(join(workspace(), "a.txt"), "utf8")]).to.deep.equal(["new/two", "a\n"]);
	});

	it("takes any branch in a repository without a commit", async () => {
		git(workspace(), ["update-ref", "-d", "refs/heads/main"]);
		git(workspace(), ["update-ref", "-d", "refs/heads/feature"]);
		await launch("main");
		await launch("later");
		expect(current()).to.equal("later");
	});

	it("tells the branches that the launch does not name, and stays on them when it names them later", async () => {
		expect(await launch("")).to.deep.equal([{ path: "", branch: "main" }]);
		git(workspace(), ["switch", "--quiet", "feature"]);
		expect(await launch("")).to.deep.equal([{ path: "", branch: "main" }]);
		expect(await launch("main")).to.deep.equal([]);
		expect(current()).to.equal("feature");
	});

	it("leaves a branch alone that somebody switched to in the workspace", async () => {
		await launch("main");
		git(workspace(), ["switch", "--quiet", "--create", "work"]);
		await launch("main");
		expect(current()).to.equal("work");
		await launch("feature");
		git(workspace(), ["switch", "--quiet", "work"]);
		await launch("feature");
		expect(current()).to.equal("work");
	});

	it("leaves the workspace of another session and one with an unreadable memory as it is", async () => {
		await launch("feature");
		expect(current()).to.equal("main");
		for (const text of ["", "{", '[["",1]]', "[[]]", "x".repeat(100_000)]) {
			writeFileSync(join(folder(), "state", "branches.json"), text);
			await launch("feature");
			expect(current()).to.equal("main");
		}
	});

	it("refuses a switch that would lose something, until the session has the former branch again", async () => {
		await launch("main");
		writeFileSync(join(workspace(), "a.txt"), "mine\n");
		for (const _attempt of [1, 2]) {
			const failure = await failureOf<LaunchFailure>(launch("feature"));
			expect(failure).to.be.instanceOf(LaunchFailure);
			expect(failure.message).to.match(/^Cannot switch to the branch "feature": Your local changes/);
			expect(failure.message).to.match(/A session with the branch "main" starts$/);
		}
		await launch("main");
		expect(current()).to.equal("main");
		expect(readFileSync(join(workspace(), "a.txt"), "utf8")).to.equal("mine\n");
	});

	it("follows the own repository only, and one that is missing is made with its branch", async () => {
		makeRepository(join(workspace(), "inner"));
		await launch("main", ["inner"]);
		await launch("feature", ["inner"], [""]);
		expect(current()).to.equal("main");
		await launch("main", ["inner"]);
		await launch("feature", ["inner"]);
		expect([current(), current("inner")]).to.deep.equal(["feature", "main"]);
	});

	it("starts no hook of the repository", async () => {
		await launch("main");
		const hook = join(workspace(), ".git/hooks/post-checkout");
		writeFileSync(hook, `#!/bin/sh\ntouch ${join(folder(), "ran")}\n`, { mode: 0o755 });
		await launch("feature");
		expect(current()).to.equal("feature");
		expect(() => readFileSync(join(folder(), "ran"))).to.throw(/ENOENT/);
	});
});
