/**
 * Clones of a pod from repositories of every kind, and those that cannot be made.
 * Long: it starts pods that clone, some of which wait for servers that do not answer.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "chai";
import type { Repository } from "#shared/wire/pod/launch.ts";
import { giveAway, isRoot } from "../../support/machine/ordinary-user.ts";
import { eventually } from "../../support/eventually.ts";
import { serveGit } from "../../support/repositories/git-http-server.ts";
import { commitFiles, fileUrl, git, makeRepository } from "../../support/repositories/git-repository.ts";
import { TestPod, TestSession } from "../../support/pods/test-pod.ts";
import { listenOnLoopback, loopbackUrl } from "../../support/machine/loopback-server.ts";

function repository(url: string, changes: Partial<Repository> = {}): Repository {
	return { url, branch: "main", base_branch: "", path: "", ...changes };
}

/**
 * The time limit of a test that starts up to ten pods one after the other, each of which takes seconds on a busy
 * machine.
 */
const manyStartsMs = 120_000;

/** Resolves with the reason why a pod with these repositories fails. */
async function failureOf(
	session: TestSession,
	repositories: Repository[],
	changes = {},
	code = "CLONE_FAILED",
): Promise<string> {
	const pod = new TestPod(session.launch({ repositories, ...changes }));
	const { failure } = await pod.phase("failed");
	expect(failure?.code).to.equal(code);
	expect(await pod.ended()).to.equal(1);
	expect(pod.output).to.equal("");
	return failure?.message ?? "";
}

describe("clone", () => {
	it("uses the credentials of the home it may use, and leaves them nowhere", async () => {
		await using session = new TestSession();
		makeRepository(join(session.folder, "srv/origin"), { "README.md": "private\n" });
		await using server = await serveGit(join(session.folder, "srv"), "ada", "canary-password");
		const url = `${server.url}/origin/.git`;
		const person = join(session.folder, "person");
		mkdirSync(person);
		writeFileSync(join(person, ".gitconfig"), "[credential]\n\thelper = store\n");
		writeFileSync(join(person, ".git-credentials"), `${server.url.replace("//", "//ada:canary-password@")}\n`);

		const denied = await failureOf(session, [repository(url)]);
		expect(denied).to.match(/^Cannot clone "http:\/\/127\.0\.0\.1:\d+\/origin\/\.git": could not read Username/);

		const pod = await session.start({ repositories: [repository(url)], git_home: person });
		const seen = await pod.ask(
			"$ cat README.md; git remote get-url origin; cat .git/config; env; ls -A ~; cat ~/.gitconfig ~/.git-credentials",
		);
		expect(seen.content).to.contain(`private\n${url}\n`).and.not.contain("canary");
		expect((await pod.logs()).join("\n")).not.to.contain("canary");
	});

	it("says that the credentials are wrong, without repeating them", async () => {
		await using session = new TestSession();
		makeRepository(join(session.folder, "srv/origin"), { a: "" });
		await using server = await serveGit(join(session.folder, "srv"), "ada", "right");
		writeFileSync(join(session.folder, ".gitconfig"), "[credential]\n\thelper = store\n");
		writeFileSync(join(session.folder, ".git-credentials"), `${server.url.replace("//", "//ada:canary-password@")}\n`);
		const changes = { git_home: session.folder };
		const message = await failureOf(session, [repository(`${server.url}/origin/.git`)], changes);
		expect(message)
			.to.match(/Authentication failed/)
			.and.not.contain("canary");
	});

	const dead: [what: string, url: string, words: RegExp][] = [
		[
			"a folder that is not there",
			"file:///nonexistent/repo",
			/does not appear to be a git repository.*; check the path/,
		],
		["a server that is not there", "http://127.0.0.1:9/repo", /(Failed to connect|Couldn't connect).*; check the host/],
	];
	for (const [what, url, words] of dead) {
		it(`fails with git's sentence for ${what}`, async () => {
			await using session = new TestSession();
			expect(await failureOf(session, [repository(url)])).to.match(words);
		});
	}

	it("says what to do about a repository of another user", async function () {
		if (!isRoot) return this.skip();
		await using session = new TestSession();
		const origin = makeRepository(join(session.folder, "origin"), { a: "" });
		giveAway(origin);
		expect(await failureOf(session, [repository(fileUrl(origin))])).to.match(
			/dubious ownership.*; the repository belongs to another user.*safe\.directory/,
		);
	});

	it("refuses what is no repository URL or branch before git hears of it", async () => {
		await using session = new TestSession();
		const canary = join(session.folder, "canary");
		const url = fileUrl(makeRepository(join(session.folder, "origin"), { a: "" }));
		const hostile = [
			repository(`--upload-pack=touch ${canary}`),
			repository(`ext::touch ${canary}`),
			repository(`ext::touch%20${canary}`),
			repository("ssh://-oProxyCommand=touch/x"),
			repository("https://user:canary-password@host/repo"),
			repository(url, { branch: `--upload-pack=touch ${canary}` }),
			repository(url, { branch: "-b" }),
			repository(url, { branch: "main", base_branch: "--config=x" }),
		];
		for (const each of hostile) expect(await failureOf(session, [each])).not.to.contain("canary-password");
		expect(await failureOf(session, [repository(url)], { git_protocols: ["https"] })).to.contain("allowed here: https");
		expect(existsSync(canary)).to.equal(false);
		await session.start({ repositories: [repository(url)] });
		expect(existsSync(join(session.workspace, "a"))).to.equal(true);
	}).timeout(manyStartsMs);

	it("makes a branch that the remote does not have from its base only, and takes the remote's own by default", async () => {
		await using session = new TestSession();
		const origin = makeRepository(join(session.folder, "origin"), { a: "main\n" });
		git(origin, ["checkout", "--quiet", "-b", "develop"]);
		commitFiles(origin, { a: "develop\n" }, "second");
		git(origin, ["checkout", "--quiet", "main"]);
		const url = fileUrl(origin);
		const cases: [Partial<Repository>, string][] = [
			[{ branch: "develop" }, "develop\ndevelop\n"],
			[{ branch: "feature/x", base_branch: "develop" }, "feature/x\ndevelop\n"],
			[{ branch: "" }, "main\nmain\n"],
		];
		for (const [index, [changes, expected]] of cases.entries()) {
			const workspace = join(session.folder, `workspace-${index}`);
			const pod = await session.start({ workspace, repositories: [repository(url, changes)] });
			expect((await pod.ask("$ git symbolic-ref --short HEAD; cat a")).content).to.equal(expected);
			const found = changes.branch === "" ? [{ path: "", branch: "main" }] : undefined;
			expect((await pod.phase("ready")).branches).to.deep.equal(found);
			await pod.stop();
		}
	}).timeout(manyStartsMs);

	it("refuses a branch that the remote lacks, with the name that was probably meant", async () => {
		await using session = new TestSession();
		const origin = makeRepository(join(session.folder, "origin"));
		git(origin, ["branch", "--move", "master"]);
		const url = fileUrl(origin);
		const remedy = 'To make a new branch, name the branch that it begins at as "base_branch"';
		const rows: [changes: Partial<Repository>, sentence: string][] = [
			[{ branch: "mastr" }, `The repository "${url}" has no branch "mastr"; did you mean "master"? ${remedy}`],
			[{ branch: "x" }, `The repository "${url}" has no branch "x"; it has "master". ${remedy}`],
			[
				{ branch: "x", base_branch: "mastre" },
				`The repository "${url}" has no branch "mastre", which is the "base_branch" of the session; did you mean "master"?`,
			],
		];
		for (const [changes, sentence] of rows) {
			expect(await failureOf(session, [repository(url, changes)], {}, "BRANCH_UNKNOWN")).to.equal(sentence);
			expect(existsSync(session.workspace)).to.equal(false);
		}
	});

	it("takes the branch of a remote whose HEAD names another one than main, a tag, or no branch at all", async () => {
		await using session = new TestSession();
		const origin = makeRepository(join(session.folder, "origin"));
		git(origin, ["branch", "--move", "trunk"]);
		git(origin, ["tag", "v1"]);
		const detached = makeRepository(join(session.folder, "detached"));
		git(detached, ["checkout", "--quiet", "--detach"]);
		commitFiles(detached, { b: "" }, "on no branch");
		const repositories = [
			repository(fileUrl(origin), { branch: "" }),
			repository(fileUrl(origin), { branch: "", path: "again" }),
			repository(fileUrl(origin), { branch: "v1", path: "tagged" }),
			repository(fileUrl(detached), { branch: "", path: "detached" }),
		];
		const pod = await session.start({ repositories });
		const branches = [
			{ path: "", branch: "trunk" },
			{ path: "again", branch: "trunk" },
		];
		expect((await pod.phase("ready")).branches).to.deep.equal(branches);
		await pod.ask("$ git switch --quiet --create of-the-agent");
		await pod.stop();
		const next = await session.start({ repositories });
		expect((await next.phase("ready")).branches, "a platform that never heard of them").to.deep.equal(branches);
		expect((await next.ask("$ git branch --show-current")).content).to.equal("of-the-agent\n");
	});

	it("accepts a remote without a commit", async () => {
		await using session = new TestSession();
		const origin = join(session.folder, "origin.git");
		mkdirSync(origin);
		git(origin, ["init", "--quiet", "--bare", "--initial-branch=trunk"]);
		for (const branch of ["main", "trunk", ""]) {
			const workspace = join(session.folder, `workspace-${branch}`);
			const pod = await session.start({ workspace, repositories: [repository(fileUrl(origin), { branch })] });
			const { content } = await pod.ask("$ git symbolic-ref --short HEAD; echo x > new; git remote get-url origin");
			expect(content).to.equal(`${branch || "trunk"}\n${fileUrl(origin)}\n`);
			const { patch } = await pod.get<{ patch: string }>("/api/diff/patch");
			expect(patch).to.contain("+++ b/new");
			await pod.stop();
		}
	});

	it("clones further repositories into folders, once, and keeps them out of the first one", async () => {
		await using session = new TestSession();
		const first = fileUrl(makeRepository(join(session.folder, "first"), { a: "first\n" }));
		const second = fileUrl(makeRepository(join(session.folder, "second"), { a: "second\n" }));
		const repositories = [
			repository(first),
			repository(second, { path: "libs/second" }),
			repository("", { path: "own" }),
		];
		const pod = await session.start({ repositories });
		expect((await pod.ask("$ cat libs/second/a; echo changed > libs/second/a; git status --short")).content).to.equal(
			"second\n",
		);
		const files = [{ path: "libs/second/a", status: "mod", ins: 1, del: 1 }];
		expect(await pod.get("/api/diff/files")).to.deep.equal({ files });
		await pod.stop();
		const next = await session.start({ repositories });
		expect((await next.ask("$ cat libs/second/a; ls -A own; git -C libs/second status --short")).content).to.equal(
			"changed\n.git\n M a\n",
		);
	});

	it("clones no further repository outside the workspace", async () => {
		await using session = new TestSession();
		const url = fileUrl(makeRepository(join(session.folder, "origin"), { a: "" }));
		mkdirSync(join(session.folder, "outside"));
		makeRepository(session.workspace, { b: "" });
		symlinkSync(join(session.folder, "outside"), join(session.workspace, "link"));
		for (const path of ["", "..", "../outside/x", "/tmp/x", "link/x", "link", ".git/x", ".git", "a/../../x", "*"]) {
			expect(await failureOf(session, [repository(url), repository(url, { path })]), path).to.equal(
				`The folder "${path}" cannot hold a repository of the workspace`,
			);
		}
		expect(existsSync(join(session.folder, "outside/x"))).to.equal(false);
	}).timeout(manyStartsMs);

	it("makes nothing in a folder of the host behind a workspace that is a link", async () => {
		await using session = new TestSession();
		const host = join(session.folder, "host");
		mkdirSync(host);
		symlinkSync(host, session.workspace);
		const pod = new TestPod(session.launch({ repositories: [] }));
		expect((await pod.phase("failed")).failure).to.include({ code: "MOUNT_FAILED" });
		expect(existsSync(join(host, ".git"))).to.equal(false);
	});

	it("runs no hook and no program of a configuration that comes with the clone", async () => {
		await using session = new TestSession();
		const canary = join(session.folder, "canary");
		const url = fileUrl(makeRepository(join(session.folder, "origin"), { a: "" }));
		const hooks = join(session.folder, "template/hooks");
		mkdirSync(hooks, { recursive: true });
		writeFileSync(join(hooks, "post-checkout"), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
		writeFileSync(join(session.folder, ".gitconfig"), `[init]\n\ttemplateDir = ${join(session.folder, "template")}\n`);
		git(session.folder, ["clone", "--quiet", url, "control"], { HOME: session.folder });
		expect(existsSync(canary), "control: plain git runs the hook").to.equal(true);
		git(session.folder, ["init", "--quiet", "."]);
		rmSync(canary);
		await session.start({ repositories: [repository(url)], git_home: session.folder });
		expect(existsSync(canary)).to.equal(false);
	});

	it("never mistakes half a clone for a workspace after it was killed", async () => {
		await using session = new TestSession();
		const origin = makeRepository(join(session.folder, "origin"), { a: "whole\n" });
		const silent = createSocketServer(() => {});
		await listenOnLoopback(silent);
		try {
			const url = `${loopbackUrl(silent)}/repo`;
			// When git sends its request to the server, it has made its folder and writes nothing more, though it outlives
			// its pod.
			const asked = once(silent, "connection");
			const pod = new TestPod(session.launch({ repositories: [repository(url)] }));
			await asked;
			expect(existsSync(`${session.workspace}.partial`)).to.equal(true);
			await pod.kill();
			expect(existsSync(join(session.workspace, ".git"))).to.equal(false);
			const next = await session.start({ repositories: [repository(fileUrl(origin))] });
			expect((await next.ask("$ cat a")).content).to.equal("whole\n");
			expect(existsSync(`${session.workspace}.partial`)).to.equal(false);
		} finally {
			silent.close();
		}
	});

	it("ends at once, and git with it, when asked to end while it clones", async () => {
		await using session = new TestSession();
		const silent = createServer(() => {});
		await listenOnLoopback(silent);
		try {
			const url = `${loopbackUrl(silent)}/repo`;
			const pod = new TestPod(session.launch({ repositories: [repository(url)] }));
			await eventually(() => existsSync(`${session.workspace}.partial`));
			await pod.phase("cloning");
			expect(await pod.stop()).to.equal(0);
			expect(JSON.parse(readFileSync(pod.launch.status_file, "utf8")).phase).to.equal("cloning");
		} finally {
			silent.close();
			silent.closeAllConnections();
		}
	});
});
