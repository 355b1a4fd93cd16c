/**
 * Every change of a workspace is reported once, with real git, whoever makes it.
 * Long: it waits for the watches of a workspace.
 */
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { WorkspaceWatch } from "#agent/timeline/workspace-watch.ts";
import { wholeTree } from "#agent/workspace/work-tree.ts";
import { CountedGit } from "../../../support/repositories/counted-git.ts";
import { commitFiles, git, makeRepository } from "../../../support/repositories/git-repository.ts";

describe("WorkspaceWatch", function () {
	this.timeout(60_000);
	let folder: string;
	let workspace: string;
	let scratch: string;
	let watch: WorkspaceWatch | undefined;
	let counted: CountedGit;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-watch-"));
		workspace = makeRepository(join(folder, "workspace"), { "README.md": "one\ntwo\n", "src/a.ts": "a\n" });
		scratch = join(folder, "scratch");
		mkdirSync(scratch);
		counted = new CountedGit();
	});
	afterEach(async () => {
		await watch?.close();
		watch = undefined;
		rmSync(folder, { recursive: true, force: true });
	});

	async function open(since = Date.now() - 60_000): Promise<WorkspaceWatch> {
		watch = await WorkspaceWatch.open(wholeTree(workspace), { scratch, git: counted, since });
		counted.started.length = 0;
		return watch;
	}

	function write(path: string, content: string): void {
		mkdirSync(join(workspace, path, ".."), { recursive: true });
		writeFileSync(join(workspace, path), content);
	}

	async function told(of: WorkspaceWatch): Promise<string[]> {
		const { files, commits } = await of.look();
		const made = commits.map(({ subject, files: count }) => `commit ${subject} (${count})`);
		return [...files.map(({ path, status, ins, del }) => `${status} ${path} +${ins} -${del}`).sort(), ...made];
	}

	it("reports created, repeatedly changed and deleted files, and nothing when nothing happened", async () => {
		write("before.txt", "was here before the first look\n");
		const looking = await open();
		expect(await told(looking)).to.deep.equal([]);
		write("new file.txt", "1\n2\n3\n");
		write("README.md", "one\n2\ntwo\n");
		expect(await told(looking)).to.deep.equal(["mod README.md +1 -0", "new new file.txt +3 -0"]);
		write("new file.txt", "1\n2\nfour\n");
		expect(await told(looking)).to.deep.equal(["mod new file.txt +1 -1"]);
		rmSync(join(workspace, "new file.txt"));
		rmSync(join(workspace, "src"), { recursive: true });
		expect(await told(looking)).to.deep.equal(["del new file.txt +0 -3", "del src/a.ts +0 -1"]);
		expect(await told(looking)).to.deep.equal([]);
		expect(git(workspace, ["status", "--porcelain"]), "the index of the workspace").to.equal(
			" M README.md\n D src/a.ts\n?? before.txt\n",
		);
	});

	it("starts git once where nothing has changed", async () => {
		const looking = await open();
		expect([await told(looking), counted.started]).to.deep.equal([[], ["ls-files"]]);
		write("README.md", "one\n");
		expect(await told(looking)).to.deep.equal(["mod README.md +0 -1"]);
		counted.started.length = 0;
		expect([await told(looking), counted.started]).to.deep.equal([[], ["ls-files"]]);
	});

	it("detects a moved branch in every place where git stores it", async () => {
		const looking = await open();
		const commit = ["commit", "--quiet", "--allow-empty", "--message", "moved"];
		const pack = ["pack-refs", "--all"];
		const alias = ["symbolic-ref", "refs/heads/alias", "refs/heads/main"];
		const onAlias = ["symbolic-ref", "HEAD", "refs/heads/alias"];
		const detached = ["checkout", "--quiet", "--detach"];
		const moves = [
			[commit],
			[pack],
			[commit, pack],
			[commit],
			[detached],
			[commit],
			[alias, onAlias],
			[commit],
			[commit],
		];
		for (const move of moves) {
			for (const step of move) git(workspace, step);
			await looking.look();
			expect(looking.head).to.equal(git(workspace, ["rev-parse", "HEAD"]).trim());
		}
	});

	it("reports commits by hash and subject, and no file twice because of them", async () => {
		const looking = await open();
		write("b.ts", "b\n");
		expect(await told(looking)).to.deep.equal(["new b.ts +1 -0"]);
		commitFiles(workspace, { "c.ts": "c\n" }, "Add b and c\n\nwith a body");
		commitFiles(workspace, { "README.md": "three\n" }, "Änder\u001f die „README“");
		const { files, commits } = await looking.look();
		expect(files.map(({ path }) => path).sort()).to.deep.equal(["README.md", "c.ts"]);
		expect(commits.map(({ hash }) => hash)).to.deep.equal(
			git(workspace, ["rev-list", "--reverse", "--max-count=2", "HEAD"]).trim().split("\n"),
		);
		expect(commits.map(({ subject }) => subject)).to.deep.equal(["Add b and c", "Änder  die „README“"]);
		expect(commits.map((commit) => commit.files)).to.deep.equal([2, 1]);
		git(workspace, ["checkout", "--quiet", "-b", "other"]);
		expect(await told(looking)).to.deep.equal([]);
		commitFiles(workspace, { "d.ts": "d\n" }, "On a branch");
		git(workspace, ["pack-refs", "--all"]);
		expect(await told(looking)).to.deep.equal(["new d.ts +1 -0", "commit On a branch (1)"]);
	});

	it("does not report older commits that are checked out", async () => {
		git(workspace, ["checkout", "--quiet", "-b", "old"]);
		const before = { GIT_COMMITTER_DATE: "2020-01-01T00:00:00Z" };
		write("old.ts", "old\n");
		git(workspace, ["add", "--all"]);
		git(workspace, ["commit", "--quiet", "--message", "long ago"], before);
		git(workspace, ["checkout", "--quiet", "main"]);
		const looking = await open();
		git(workspace, ["checkout", "--quiet", "old"]);
		expect(await told(looking)).to.deep.equal(["new old.ts +1 -0"]);
	});

	it("begins in a repository without a commit and without an index", async () => {
		rmSync(workspace, { recursive: true });
		mkdirSync(workspace);
		git(workspace, ["init", "--quiet", "--initial-branch=main"]);
		const looking = await open();
		expect(looking.head).to.equal(undefined);
		commitFiles(workspace, { "a.ts": "a\n" }, "first");
		expect(await told(looking)).to.deep.equal(["new a.ts +1 -0", "commit first (1)"]);
	});

	it("reports everything since a commit, for the chronicle", async () => {
		const looking = await open();
		const { head } = looking;
		commitFiles(workspace, { "b.ts": "b\n" }, "second");
		write("README.md", "one\n");
		await looking.look();
		const { files, commits } = await looking.since(head);
		expect(files.map(({ path, status }) => `${status} ${path}`)).to.deep.equal(["mod README.md", "new b.ts"]);
		expect(commits.map(({ subject }) => subject)).to.deep.equal(["second"]);
	});

	it("leaves out ignored files, and files of inner repositories", async () => {
		write(".gitignore", "ignored/\n");
		const looking = await open();
		write("ignored/a", "a");
		makeRepository(join(workspace, "inner"));
		expect(await told(looking)).to.deep.equal([]);
	});

	it("detects a file that becomes a folder, a folder that becomes a file, and a link", async () => {
		const looking = await open();
		rmSync(join(workspace, "README.md"));
		write("README.md/inside", "x\n");
		rmSync(join(workspace, "src"), { recursive: true });
		write("src", "file\n");
		symlinkSync("/etc/passwd", join(workspace, "link"));
		expect(await told(looking)).to.deep.equal([
			"del README.md +0 -2",
			"del src/a.ts +0 -1",
			"new README.md/inside +1 -0",
			"new link +1 -0",
			"new src +1 -0",
		]);
	});

	it("compares very large files by size and time, and does not read them", async () => {
		const looking = await open();
		const large = join(workspace, "large.bin");
		writeFileSync(large, "");
		truncateSync(large, 40 * 1_048_576);
		expect(await told(looking)).to.deep.equal(["new large.bin +0 -0"]);
		expect(await told(looking)).to.deep.equal([]);
		utimesSync(large, 1, 1);
		expect(await told(looking)).to.deep.equal(["mod large.bin +0 -0"]);
		rmSync(large);
		expect(await told(looking)).to.deep.equal(["del large.bin +0 -0"]);
	});

	it("starts no program that the workspace names", async () => {
		const proof = join(folder, "proof");
		const program = join(folder, "program");
		writeFileSync(program, `#!/bin/sh\ntouch ${proof}\n`);
		chmodSync(program, 0o700);
		write(".gitattributes", "*.ts filter=evil diff=evil\n");
		for (const [key, value] of [
			["core.fsmonitor", program],
			["filter.evil.clean", program],
			["filter.evil.required", "true"],
			["diff.evil.command", program],
			["diff.evil.textconv", program],
			["diff.external", program],
			["gpg.program", program],
			["log.showSignature", "true"],
			["core.hooksPath", folder],
		] as const)
			git(workspace, ["config", key, value]);
		for (const hook of ["post-index-change", "post-commit"]) renameOrCopy(program, join(folder, hook));
		const looking = await open();
		write("src/a.ts", "b\n");
		git(workspace, [
			"-c",
			"core.fsmonitor=false",
			"-c",
			"core.hooksPath=/dev/null",
			"commit",
			"--quiet",
			"--allow-empty",
			"-m",
			"x",
		]);
		rmSync(proof, { force: true });
		expect(await told(looking))
			.to.include("mod src/a.ts +1 -1")
			.and.to.include("commit x (0)");
		expect(existsSync(proof), "a program of the workspace ran").to.equal(false);
	});

	it("leaves nothing behind", async () => {
		const looking = await open();
		await looking.look();
		await looking.close();
		watch = undefined;
		expect(readdirSync(scratch)).to.deep.equal([]);
	});

	it("agrees with the changes that were made, for any changes", async () => {
		const name = fc.constantFrom("a", "b", "c/d", "c/e", "ä ö", 'quo"te', "new\nline", "-dash");
		const content = fc.option(fc.constantFrom("", "1\n", "1\n2\n", "\0binary", "é"));
		const rounds = fc.array(fc.array(fc.record({ name, content }), { maxLength: 5 }), { maxLength: 4 });
		await fc.assert(fc.asyncProperty(rounds, agrees), { numRuns: 15 });
	});

	/** @param rounds The contents of files, null for a deleted one; a look follows each round. */
	async function agrees(rounds: readonly { name: string; content: string | null }[][]): Promise<void> {
		const looking = await open();
		const known = new Map<string, string>();
		for (const round of rounds) {
			const before = new Map(known);
			for (const { name: path, content } of round) {
				rmSync(join(workspace, path), { force: true });
				known.delete(path);
				if (content === null) continue;
				known.set(path, content);
				write(path, content);
			}
			const { files } = await looking.look();
			const seen = Object.fromEntries(files.map(({ path, status }) => [path, status]));
			expect(seen).to.deep.equal(differences(before, known));
		}
		await looking.close();
		for (const path of known.keys()) rmSync(join(workspace, path));
	}
});

function differences(before: Map<string, string>, after: Map<string, string>): Record<string, string> {
	const paths = [...new Set([...before.keys(), ...after.keys()])].filter(
		(path) => before.get(path) !== after.get(path),
	);
	const status = (path: string): string => (before.has(path) ? (after.has(path) ? "mod" : "del") : "new");
	return Object.fromEntries(paths.map((path) => [path, status(path)]));
}

function renameOrCopy(from: string, to: string): void {
	execFileSync("cp", [from, `${to}.tmp`]);
	renameSync(`${to}.tmp`, to);
}
