/**
 * The demo on several kinds of repository; its output is compared with the workspace.
 * Main: the whole job of a session.
 */
import { expect } from "chai";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { fileUrl, git, gitDiff, makeRepository } from "../../support/repositories/git-repository.ts";
import { serveGit } from "../../support/repositories/git-http-server.ts";
import { type DemoRun, runDemo, startDemo } from "../../support/platform/run-demo.ts";
import { ask } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

describe("npm run demo", function () {
	this.timeout(180_000);
	let folder: string;
	let platform: TestPlatform;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-demo-"));
		platform = await startPlatform();
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	/** Runs the demo up to the diff, and compares its output with the workspace. */
	async function expectTrueWords(...args: string[]): Promise<DemoRun> {
		const run = await runDemo(platform, ...args, "--keep");
		expect(run.exitCode, run.output).to.equal(0);
		const workspace = platform.workspace(run.sessionId);
		expect(run.patch).to.equal(gitDiff(workspace));
		expect(run.patch).to.include("+hello");
		const status = git(workspace, ["status", "--short"]).trim();
		expect(status).to.equal("?? atelier-demo.txt");
		expect(run.output).to.match(/^ {4}\?\? atelier-demo\.txt$/m);
		return run;
	}

	it("runs all steps on this checkout", async () => {
		const { exitCode, output } = await runDemo(platform);
		expect(exitCode, output).to.equal(0);
		expect(output)
			.to.match(/✓ see it running/)
			.and.to.match(/✓ find it gone/);
	});

	it("tells the truth about a workspace of this checkout", async () => {
		await expectTrueWords();
	});

	it("tells the truth about a workspace of a repository on this machine", async () => {
		await expectTrueWords(fileUrl(makeRepository(join(folder, "plain"))));
	});

	it("tells the truth about a workspace of a repository behind a password, and does not show the password", async () => {
		makeRepository(join(folder, "private"));
		await using server = await serveGit(folder, "ada", "lovelace-1843");
		const url = `${server.url}/private/.git`;
		const refused = await runDemo(platform, url);
		expect(refused.exitCode).to.equal(1);
		expect(refused.output).to.match(/The demo failed: The session failed: .*CLONE_FAILED/);

		const store = join(platform.home, ".git-credentials");
		writeFileSync(store, `${server.url.replace("//", "//ada:lovelace-1843@")}\n`, { mode: 0o600 });
		writeFileSync(join(platform.home, ".gitconfig"), `[credential]\n\thelper = store --file=${store}\n`);
		const { output, sessionId } = await expectTrueWords(url);
		expect(output + platform.output).to.not.include("lovelace");
		const seen = await ask(platform.client(), sessionId, "$ cat .git/config; env; ls -a ~");
		expect(seen).to.include('[remote "origin"]').and.to.include("HOME=");
		expect(seen).to.not.match(/lovelace|credential/);
	});

	it("leaves nothing behind", async () => {
		const { sessionId } = await runDemo(platform, fileUrl(makeRepository(join(folder, "passing"))));
		const agents = () => platform.agents().filter(({ session }) => session === sessionId);
		await eventually(() => agents().length === 0, { withinMs: 20_000, what: "its agent is gone" });
		await eventually(() => !existsSync(platform.workspace(sessionId)), {
			withinMs: 20_000,
			what: "its workspace is gone",
		});
	});

	it("deletes what it has made when it is ended, and when nobody reads its output", async () => {
		const repository = fileUrl(makeRepository(join(folder, "ended")));
		const client = platform.client();
		const sessions = async (): Promise<string[]> =>
			(await client.get<{ id: string }[]>("/sessions?include_archived=true")).body.map(({ id }) => id);
		const [before, agents] = [await sessions(), platform.agents().length];
		for (const ends of ["SIGINT", "SIGTERM", "EPIPE"] as const) {
			const demo = startDemo(platform, repository);
			let output = "";
			demo.stderr.on("data", (chunk: Buffer) => (output += chunk));
			for await (const chunk of demo.stdout) {
				output += chunk;
				if (output.includes("see it running")) break; // This closes the pipe.
				if (output.includes("create a session") && ends !== "EPIPE" && !demo.killed) demo.kill(ends);
			}
			if (demo.exitCode === null) await once(demo, "exit");
			expect(demo.exitCode, `${ends}: ${output}`).to.equal(1);
			expect(output).to.include("The demo failed: It was ended; what it made is deleted");
			expect(await sessions(), ends).to.deep.equal(before);
		}
		expect((await client.get("/profiles")).body).to.deep.equal([]);
		await eventually(() => platform.agents().length === agents, { withinMs: 20_000, what: "the agents are gone" });
	});

	it("fails with git's sentence when the repository cannot be read", async () => {
		const { exitCode, output } = await runDemo(platform, `file://${folder}/nothing-here`);
		expect(exitCode).to.equal(1);
		expect(output).to.match(/The demo failed: The session failed: .*nothing-here.*CLONE_FAILED/);
	});

	it("says how to start a platform when there is none", async () => {
		const { exitCode, output } = await runDemo({ url: `http://127.0.0.1:${await freePort()}` });
		expect(exitCode).to.equal(1);
		expect(output).to.match(/No platform answers at .*npm start.*ATELIER_URL.*PORT/);
	});

	it("works with the command that the platform prints when it is ready", async () => {
		const [, variable, address] = /terminal: ([A-Z_]+)=(\S+) npm run demo\)/.exec(platform.output) ?? [];
		expect([variable, address]).to.deep.equal(["ATELIER_URL", platform.url]);
	});
});
