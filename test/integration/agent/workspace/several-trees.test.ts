/** The changes of several repositories in one workspace, with real git, also when somebody moves or replaces them. */
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { WatchedTrees } from "#agent/timeline/watched-trees.ts";
import { compareTrees } from "#agent/workspace/diff/several-diffs.ts";
import type { Comparison } from "#agent/workspace/diff/workspace-diff.ts";
import { workTrees } from "#agent/workspace/work-tree.ts";
import { CountedGit } from "../../../support/repositories/counted-git.ts";
import { commitFiles, makeRepository } from "../../../support/repositories/git-repository.ts";
import { useFolder } from "../../../support/use-folder.ts";

describe("several work trees", function () {
	this.timeout(60_000);
	const folder = useFolder();
	const at = (path: string) => join(folder(), "workspace", path);
	const write = (path: string, text: string) => writeFileSync(at(path), text);
	const trees = () =>
		workTrees(join(folder(), "workspace"), [{ path: "api" }, { path: "libs" }, { path: "libs/inner" }]);
	const scratch = () => join(folder(), "scratch");
	let diff: Comparison;

	beforeEach(() => {
		makeRepository(at("api"), { "a.txt": "one\n" });
		makeRepository(at("libs"), { "b.txt": "one\n" });
		makeRepository(at("libs/inner"), { "c.txt": "one\n" });
		makeRepository(join(folder(), "elsewhere"), { "secret.txt": "secret\n" });
		writeFileSync(join(folder(), "elsewhere/new.txt"), "of somebody else\n");
		mkdirSync(scratch());
		diff = compareTrees(trees(), { scratch: scratch(), git: new CountedGit() });
	});

	const listed = async (base = "last-commit") =>
		(await diff.files(base)).files.map(({ path, status }) => `${status} ${path}`).sort();

	it("are one list, one patch and one place for files, each change once", async () => {
		expect(await listed()).to.deep.equal([]);
		for (const path of ["api/a.txt", "libs/b.txt", "libs/inner/c.txt", "libs/inner/new.txt", "beside.txt"])
			write(path, "two\n");
		expect(await listed()).to.deep.equal([
			"mod api/a.txt",
			"mod libs/b.txt",
			"mod libs/inner/c.txt",
			"new beside.txt",
			"new libs/inner/new.txt",
		]);
		const { patch, truncated } = await diff.patch("last-commit");
		expect(truncated).to.equal(false);
		for (const path of ["api/a.txt", "libs/inner/c.txt"]) expect(patch).to.contain(`--- a/${path}\n+++ b/${path}\n`);
		expect((await diff.wholePatch("last-commit")).patch).to.contain("+++ b/libs/inner/new.txt\n");
		for (const path of ["api/a.txt", "libs/b.txt", "libs/inner/c.txt", "beside.txt"])
			expect((await diff.file(path, "last-commit")).hunks, path).to.have.lengthOf(1);
		expect((await diff.file("api/none.txt", "last-commit")).hunks).to.deep.equal([]);
		expect(readdirSync(scratch()), "nothing remains of the comparisons").to.deep.equal([]);
	});

	it("count for the folder around them when their repository is removed", async () => {
		rmSync(at("api/.git"), { recursive: true });
		expect(await listed()).to.deep.equal(["new api/a.txt"]);
		expect((await diff.file("api/a.txt", "last-commit")).hunks).to.have.lengthOf(1);
	});

	it("are not looked for behind a link that took the place of a repository", async () => {
		renameSync(at("api"), join(folder(), "moved"));
		symlinkSync(join(folder(), "elsewhere"), at("api"));
		expect((await listed()).join("\n"))
			.not.to.contain("secret")
			.and.not.to.contain("new.txt");
		expect((await diff.patch("last-commit")).patch).not.to.contain("of somebody else");
	});

	it("without a remote are compared with nothing, and an unknown base is refused", async () => {
		expect(await listed("default-branch")).to.deep.equal(["new api/a.txt", "new libs/b.txt", "new libs/inner/c.txt"]);
		expect(await diff.files("HEAD~1").catch(String)).to.match(/There is no base "HEAD~1"/);
		expect(await diff.file("../elsewhere/secret.txt", "last-commit").catch(String)).to.match(/no path of a file below/);
	});

	it("are watched together: files by their paths below the workspace, and commits in the order of their times", async () => {
		const watch = await WatchedTrees.open(trees(), {
			scratch: scratch(),
			git: new CountedGit(),
			since: Date.now() - 60_000,
		});
		try {
			const before = watch.heads;
			expect(Object.keys(before)).to.deep.equal(["api", "libs", "libs/inner"]);
			write("beside.txt", "x\n");
			write("libs/b.txt", "two\n");
			commitFiles(at("api"), { "a.txt": "two\n" }, "change a");
			const { files, commits } = await watch.look();
			expect(files.map(({ path, status }) => `${status} ${path}`).sort()).to.deep.equal([
				"mod api/a.txt",
				"mod libs/b.txt",
				"new beside.txt",
			]);
			expect(commits.map(({ subject }) => subject)).to.deep.equal(["change a"]);
			expect((await watch.look()).files).to.deep.equal([]);
			const all = await watch.since(before);
			expect(all.files.map(({ path }) => path).sort()).to.deep.equal(["api/a.txt", "beside.txt", "libs/b.txt"]);
			expect(all.commits.map(({ subject }) => subject)).to.deep.equal(["change a"]);
		} finally {
			await watch.close();
		}
	});
});
