import { execFileSync } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { WorkspaceDiff } from "#agent/workspace/diff/workspace-diff.ts";
import { wholeTree } from "#agent/workspace/work-tree.ts";
import { localEnvironment, Git } from "#agent/workspace/git.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { requestErrorOf } from "#agent/server/request-error.ts";
import { eventually } from "../../../support/eventually.ts";
import { commitFiles, fileUrl, git, makeRepository } from "../../../support/repositories/git-repository.ts";
import { TestSession } from "../../../support/pods/test-pod.ts";

/** The changes that a person at the workspace would see: `git add -AN` in a copy of the index, then `git diff`. */
function plainDiff(workspace: string, base = "HEAD", options: readonly string[] = []): string {
	const index = join(workspace, ".git/index-copy");
	if (existsSync(join(workspace, ".git/index"))) copyFileSync(join(workspace, ".git/index"), index);
	try {
		const env = { GIT_INDEX_FILE: index };
		git(workspace, ["add", "-AN"], env);
		return git(workspace, ["diff", ...options, base], env);
	} finally {
		rmSync(index, { force: true });
	}
}

async function refusal(asked: Promise<unknown>): Promise<number> {
	const error = await asked.catch((failure: unknown) => failure);
	return requestErrorOf(error)?.status ?? 0;
}

describe("diff of a workspace", () => {
	let folder: string;
	let workspace: string;
	let scratch: string;
	let canary: string;
	let diff: WorkspaceDiff;
	let session: TestSession;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-diff-"));
		workspace = join(folder, "workspace");
		scratch = join(folder, "scratch");
		canary = join(folder, "canary");
		mkdirSync(scratch);
		session = new TestSession();
		const git = new Git(localEnvironment(process.env, session.launch()), new LogBuffer([]));
		diff = new WorkspaceDiff(wholeTree(workspace), { scratch, git });
	});
	afterEach(async () => {
		expect(readdirSync(scratch)).to.deep.equal([]);
		rmSync(folder, { recursive: true });
		await session[Symbol.asyncDispose]();
	});

	const write = (name: string, content: string): void => {
		mkdirSync(join(workspace, name, ".."), { recursive: true });
		writeFileSync(join(workspace, name), content);
	};

	it("is byte for byte what git shows for the same changes", async () => {
		makeRepository(workspace, {
			"kept.txt": "kept\n",
			"changed.txt": "one\ntwo\nthree\n",
			"deleted.txt": "gone\n",
			"moved/from.txt": "moved\n".repeat(20),
			"no-newline.txt": "end",
			"staged.txt": "staged\n",
			"binary.bin": "\0\x01\x02",
			".gitignore": "ignored/\n",
			".gitattributes": "*.crlf text eol=crlf\n",
			"dos.crlf": "a\nb\n",
		});
		write("changed.txt", "one\nTWO\nthree\nfour\n");
		write("no-newline.txt", "end\nand more");
		write("binary.bin", "\0\x03");
		write("ignored/log.txt", "ignored\n");
		write("new/deep/file.txt", "new\n");
		write("new/ä € 😀\ttab.txt", "odd name\n");
		write("new/empty", "");
		write("--option", "dash\n");
		write("dos.crlf", "a\r\nb\r\nc\r\n");
		unlinkSync(join(workspace, "deleted.txt"));
		git(workspace, ["mv", "moved/from.txt", "moved/to.txt"]);
		write("staged.txt", "staged and changed\n");
		git(workspace, ["add", "staged.txt"]);
		write("staged-new.txt", "new\n");
		git(workspace, ["add", "staged-new.txt"]);
		symlinkSync("/etc/passwd", join(workspace, "link"));
		const { patch, truncated } = await diff.patch("last-commit");
		const binary = git(workspace, ["diff", "--binary", "HEAD", "--", "binary.bin"]);
		const shown = plainDiff(workspace).replace(/^diff --git a\/binary\.bin [^]*?(?=^diff --git )/m, () => binary);
		expect(patch).to.equal(shown);
		expect(truncated).to.equal(false);

		const { files } = await diff.files("last-commit");
		const listed = new Map(files.map((file) => [file.path, `${file.status} +${file.ins} -${file.del}`]));
		expect(Object.fromEntries(listed)).to.deep.equal({
			"--option": "new +1 -0",
			"binary.bin": "mod +0 -0",
			"changed.txt": "mod +2 -1",
			"deleted.txt": "del +0 -1",
			"dos.crlf": "mod +1 -0",
			link: "new +1 -0",
			"moved/from.txt": "del +0 -20",
			"moved/to.txt": "new +20 -0",
			"new/deep/file.txt": "new +1 -0",
			"new/empty": "new +0 -0",
			"new/ä € 😀\ttab.txt": "new +1 -0",
			"no-newline.txt": "mod +2 -1",
			"staged-new.txt": "new +1 -0",
			"staged.txt": "mod +1 -1",
		});
		const one = await diff.file("new/../changed.txt", "last-commit");
		expect(one.filePath).to.equal("changed.txt");
		expect(one.hunks[0]?.lines.map(({ type }) => type)).to.deep.equal(["context", "remove", "add", "context", "add"]);
		expect((await diff.file("--option", "last-commit")).hunks).to.have.length(1);
		expect((await diff.file("kept.txt", "last-commit")).hunks).to.deep.equal([]);
	});

	it("leaves the index, the configuration and the objects of the workspace as they are", async () => {
		makeRepository(workspace, { a: "1\n" });
		write("b", "new\n");
		const before = git(workspace, ["status", "--porcelain"]);
		const [index, objects] = [statSync(join(workspace, ".git/index")).mtimeMs, git(workspace, ["count-objects"])];
		await diff.patch("last-commit");
		expect(git(workspace, ["count-objects"])).to.equal(objects);
		expect(statSync(join(workspace, ".git/index")).mtimeMs).to.equal(index);
		expect(git(workspace, ["status", "--porcelain"])).to.equal(before);
	});

	it("shows everything before the first commit, and nothing of an empty workspace", async () => {
		mkdirSync(workspace);
		git(workspace, ["init", "--quiet"]);
		expect(await diff.files("last-commit")).to.deep.equal({ files: [] });
		write("a", "1\n");
		expect(await diff.files("last-commit")).to.deep.equal({ files: [{ path: "a", status: "new", ins: 1, del: 0 }] });
	});

	it("compares with the point where the work left the remote's default branch", async () => {
		const origin = makeRepository(join(folder, "origin"), { a: "1\n" });
		git(folder, ["clone", "--quiet", fileUrl(origin), workspace]);
		git(workspace, ["checkout", "--quiet", "-b", "work"]);
		commitFiles(workspace, { b: "committed\n" }, "work");
		commitFiles(origin, { c: "later\n" }, "meanwhile");
		git(workspace, ["fetch", "--quiet"]);
		write("d", "uncommitted\n");
		const base = git(workspace, ["merge-base", "HEAD", "origin/main"]).trim();
		expect((await diff.patch("default-branch")).patch).to.equal(plainDiff(workspace, base));
		expect((await diff.files("default-branch")).files.map(({ path }) => path)).to.deep.equal(["b", "d"]);
	});

	it("shows a conflict as the change it is", async () => {
		makeRepository(workspace, { a: "1\n" });
		git(workspace, ["checkout", "--quiet", "-b", "other"]);
		commitFiles(workspace, { a: "2\n" }, "two");
		git(workspace, ["checkout", "--quiet", "main"]);
		commitFiles(workspace, { a: "3\n" }, "three");
		expect(() => git(workspace, ["merge", "other"])).to.throw();
		const { patch } = await diff.patch("last-commit");
		expect(patch).to.contain("+<<<<<<< HEAD").and.equal(plainDiff(workspace));
	});

	it("detects a change of the same length in the same second as the commit", async () => {
		mkdirSync(workspace);
		await eventually(
			async () => {
				// Git is started three times within that second.
				await eventually(() => new Date().getMilliseconds() < 200);
				const begun = new Date().getSeconds();
				rmSync(join(workspace, ".git"), { recursive: true, force: true });
				makeRepository(workspace, { a: "1111\n" });
				write("a", "2222\n");
				return begun === new Date().getSeconds();
			},
			{ withinMs: 20_000 },
		);
		// The same case detects a copy that is made in a later second and has its own time.
		const written = statSync(join(workspace, "a")).mtime.getSeconds();
		await eventually(() => new Date().getSeconds() !== written);
		expect(plainDiff(workspace), "control: a younger copy of the index hides it").to.equal("");
		expect((await diff.patch("last-commit")).patch).to.contain("+2222");
	});

	it("cuts a patch at the end of a file", async () => {
		makeRepository(workspace, { a: "" });
		for (let file = 0; file < 12; file++) write(`file-${file}`, `${"x".repeat(99)}\n`.repeat(1_000));
		const { patch, truncated } = await diff.patch("last-commit");
		expect(truncated).to.equal(true);
		expect(JSON.stringify(patch).length).to.be.within(700_000, 850 * 1024);
		expect(plainDiff(workspace).startsWith(patch)).to.equal(true);
		expect(plainDiff(workspace).slice(patch.length)).to.match(/^diff --git /);
		write("huge", `${"x".repeat(99)}\n`.repeat(20_000));
		expect((await diff.file("huge", "last-commit")).truncated).to.equal(true);
	});

	it("refuses other bases and files outside the workspace", async () => {
		makeRepository(workspace, { a: "1\n" });
		for (const base of ["HEAD~1", "--output=x", "", "main"])
			expect(await refusal(diff.files(base)), base).to.equal(400);
		for (const file of ["../x", "/etc/passwd", "a/../../x", ""]) {
			expect(await refusal(diff.file(file, "last-commit")), file).to.equal(400);
		}
		expect(await refusal(diff.files("default-branch"))).to.equal(400);
		expect((await diff.file(".git/config", "last-commit")).hunks).to.deep.equal([]);
		expect((await diff.file("*", "last-commit")).hunks).to.deep.equal([]);
	});

	it("says so when the workspace is no repository", async () => {
		mkdirSync(workspace);
		expect(await refusal(diff.files("last-commit"))).to.equal(502);
		// This holds also if the workspace is inside a repository, and if something else has replaced its own.
		git(folder, ["init", "--quiet"]);
		expect(await refusal(diff.files("last-commit"))).to.equal(502);
		git(workspace, ["init", "--quiet"]);
		rmSync(join(workspace, ".git/HEAD"));
		execFileSync("mkfifo", [join(workspace, ".git/HEAD")]);
		expect(await refusal(diff.files("last-commit"))).to.equal(502);
	});

	describe("prepared to make git run programs", () => {
		const touch = (): string => `touch ${canary}; cat`;

		async function allDiffs(): Promise<string> {
			await diff.files("last-commit");
			await diff.file("a.txt", "last-commit");
			return (await diff.patch("last-commit")).patch;
		}

		const traps: [what: string, prepare: () => void][] = [
			["core.fsmonitor", () => git(workspace, ["config", "core.fsmonitor", `${touch()} #`])],
			["diff.external", () => git(workspace, ["config", "diff.external", touch()])],
			[
				"a diff driver's command",
				() => {
					git(workspace, ["config", "diff.evil.command", touch()]);
					write(".gitattributes", "*.txt diff=evil\n");
				},
			],
			[
				"a diff driver's textconv, by attributes outside the tree",
				() => {
					git(workspace, ["config", "diff.evil.textconv", touch()]);
					writeFileSync(join(folder, "attributes"), "*.txt diff=evil\n");
					git(workspace, ["config", "core.attributesFile", join(folder, "attributes")]);
				},
			],
			[
				"a filter",
				() => {
					git(workspace, ["config", "filter.evil.clean", touch()]);
					git(workspace, ["config", "filter.evil.required", "true"]);
					write(".git/info/attributes", "*.txt filter=evil\n");
				},
			],
			[
				"a repository inside, which has a configuration of its own",
				() => {
					makeRepository(join(workspace, "inner"), { x: "1\n" });
					git(workspace, ["add", "inner"]);
					git(workspace, ["commit", "--quiet", "--message", "inner"]);
					git(join(workspace, "inner"), ["config", "filter.evil.clean", touch()]);
					write("inner/.git/info/attributes", "x filter=evil\n");
					write("inner/x", "2\n");
				},
			],
			[
				"a missing object that a remote is asked for",
				() => {
					const [object = ""] = git(workspace, ["rev-parse", "HEAD:a.txt"]).split("\n");
					rmSync(join(workspace, ".git/objects", object.slice(0, 2), object.slice(2)));
					git(workspace, ["config", "extensions.partialClone", "origin"]);
					git(workspace, ["config", "remote.origin.promisor", "true"]);
					git(workspace, ["config", "remote.origin.url", folder]);
					git(workspace, ["config", "remote.origin.uploadpack", `touch ${canary}; false`]);
				},
			],
		];
		for (const [what, prepare] of traps) {
			it(`runs nothing of ${what}`, async () => {
				makeRepository(workspace, { "a.txt": "1\n" });
				prepare();
				write("a.txt", "2\n");
				await allDiffs().catch((error: unknown) =>
					expect(requestErrorOf(error), String(error)).to.not.equal(undefined),
				);
				expect(existsSync(canary)).to.equal(false);
				// The control: a plain git runs the trap.
				try {
					git(workspace, ["diff", "HEAD"]);
				} catch {
					// The trap may make git fail.
				}
				expect(existsSync(canary), "control").to.equal(true);
			});
		}
	});
});
