/** The number of starts of git for a diff: each start stops the session agent for some milliseconds. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { WorkspaceDiff } from "#agent/workspace/diff/workspace-diff.ts";
import { wholeTree } from "#agent/workspace/work-tree.ts";
import { CountedGit } from "../../../support/repositories/counted-git.ts";
import { git, makeRepository } from "../../../support/repositories/git-repository.ts";

describe("starts of git for a diff", function () {
	this.timeout(30_000);
	let folder: string;
	let workspace: string;
	let counted: CountedGit;
	let diff: WorkspaceDiff;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-starts-"));
		workspace = makeRepository(join(folder, "workspace"));
		mkdirSync(join(folder, "scratch"));
		counted = new CountedGit();
		diff = new WorkspaceDiff(wholeTree(workspace), { scratch: join(folder, "scratch"), git: counted });
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	async function starts(): Promise<string[]> {
		counted.started.length = 0;
		await diff.wholePatch("last-commit");
		return counted.started;
	}

	it("are two if the files of the repository give the rest", async () => {
		writeFileSync(join(workspace, "new.txt"), "new\n");
		expect(await starts()).to.deep.equal(["add", "diff"]);
	});

	it("names what git cannot add, and shows all other changes (X15)", async () => {
		const nested = join(workspace, "nested");
		mkdirSync(nested);
		git(nested, ["init", "--quiet"]);
		writeFileSync(join(nested, "inner.txt"), "inner\n");
		writeFileSync(join(workspace, "new.txt"), "new\n");
		for (const { patch, truncated, omitted } of [
			await diff.wholePatch("last-commit"),
			await diff.patch("last-commit"),
		]) {
			expect(patch).to.include("+++ b/new.txt").and.not.to.include("inner.txt");
			expect({ truncated, omitted }).to.deep.equal({ truncated: true, omitted: ["nested"] });
		}
		expect((await diff.files("last-commit")).files).to.deep.equal([
			{ path: "new.txt", status: "new", ins: 1, del: 0 },
			{ path: "nested", status: "new", ins: 0, del: 0 },
		]);
	});

	it("reads no files of many gigabytes, names them, and shows all other changes (X15)", async () => {
		const name = "it's\nlarge";
		writeFileSync(join(workspace, "new.txt"), "new\n");
		writeFileSync(join(workspace, name), "");
		truncateSync(join(workspace, name), 400 * 1024 ** 3);
		truncateSync(join(workspace, "README.md"), 300 * 1024 ** 3);
		for (const { patch, truncated, omitted } of [
			await diff.wholePatch("last-commit"),
			await diff.patch("last-commit"),
		]) {
			expect(patch).to.include("+++ b/new.txt").and.not.to.include("large");
			expect({ truncated, omitted }).to.deep.equal({ truncated: true, omitted: ["README.md", name] });
		}
		expect((await diff.files("last-commit")).files).to.have.deep.members([
			{ path: "new.txt", status: "new", ins: 1, del: 0 },
			{ path: name, status: "new", ins: 0, del: 0 },
			{ path: "README.md", status: "mod", ins: 0, del: 0 },
		]);
		expect(await diff.file(name, "last-commit")).to.deep.equal({ filePath: name, hunks: [], truncated: true });
	});

	it("are more for a packed branch, and for a repository inside, in every version of the index", async () => {
		git(workspace, ["pack-refs", "--all"]);
		expect(await starts()).to.deep.equal(["rev-parse", "add", "diff"]);
		makeRepository(join(workspace, "inner"));
		git(workspace, ["add", "inner"]);
		for (const version of ["2", "3", "4"]) {
			git(workspace, ["update-index", "--index-version", version]);
			expect(await starts(), `version ${version}`).to.deep.equal(["rev-parse", "ls-files", "add", "diff"]);
		}
	});
});
