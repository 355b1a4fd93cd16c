/**
 * The life of a real pod, from its start to its end.
 * Long: it starts pods, and some ends wait for their time limits.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { PodStatus } from "#shared/wire/pod/status.ts";
import { fileUrl, git, makeRepository } from "../../support/repositories/git-repository.ts";
import { sessionProcesses } from "../../support/platform/session-processes.ts";
import { TestPod, TestSession } from "../../support/pods/test-pod.ts";

describe("life of a session pod", () => {
	it("clones, sets up, answers, shows what it did, and ends", async () => {
		await using session = new TestSession();
		const origin = makeRepository(join(session.folder, "origin"), { "README.md": "hello\n" });
		const url = fileUrl(origin);
		const pod = await session.start({
			repositories: [{ url, branch: "main", base_branch: "", path: "" }],
			setup_scripts: ["echo one > setup.txt", "echo two >> setup.txt; echo the setup speaks"],
			system_prompt: "$ echo this is for models",
		});

		const turn = await pod.ask('$ cat README.md; echo "new file" > new.txt; exit 3');
		expect(turn.content).to.equal("hello\nexit code 3");
		expect(turn.parts[0]).to.include({ type: "tool", kind: "execute", status: "failed", exit_code: 3 });
		expect(turn.metadata["stop_reason"]).to.equal("end_turn");

		expect(git(session.workspace, ["remote", "get-url", "origin"])).to.equal(`${url}\n`);
		const { files } = await pod.get<{ files: unknown[] }>("/api/diff/files");
		expect(files).to.deep.equal([
			{ path: "new.txt", status: "new", ins: 1, del: 0 },
			{ path: "setup.txt", status: "new", ins: 2, del: 0 },
		]);
		expect(await pod.logs()).to.include("the setup speaks");

		const { timings, agent_title: title, pid } = await pod.get<PodStatus>("/status");
		expect(title).to.equal("Shell (no AI)");
		expect(pid).to.equal(pod.pid);
		const steps = [timings.spawned, timings.cloned, timings.set_up, timings.ready].map((time) =>
			Date.parse(time ?? ""),
		);
		expect(steps).to.deep.equal(steps.toSorted((one, other) => one - other));
		expect(await pod.get("/ready")).to.deep.equal({ ready: true, session_id: session.id });
		expect(await pod.get("/health")).to.deep.equal({ status: "healthy", session_id: session.id });

		expect(await pod.stop()).to.equal(0);
		expect(pod.status?.phase).to.equal("ready");
		expect(pod.output).to.equal("");
	});

	it("gives everything that it starts a temporary folder of its own, which nobody else can read", async () => {
		await using session = new TestSession();
		const temporary_folder = join(session.folder, "run-g1", "tmp");
		const told = 'echo "$TMPDIR $TMP $TEMP"';
		const pod = await session.start({ temporary_folder, setup_scripts: [`${told} > "$TMPDIR/setup"`] });
		const { content } = await pod.ask(`$ ${told}; cat "$TMPDIR/setup"; stat -c %a "$TMPDIR"`);
		const all = `${temporary_folder} ${temporary_folder} ${temporary_folder}\n`;
		expect(content).to.equal(`${all}${all}700\n`);
		const others = sessionProcesses(session.installation).filter(({ pid }) => pid !== pod.pid);
		for (const { pid } of others)
			expect(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")).to.include(`TMPDIR=${temporary_folder}`);
		expect(others.length).to.be.greaterThan(0);
	});

	it("says so when a message holds no command", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const { content, parts } = await pod.ask("Please fix the login");
		expect(content).to.equal(
			"No AI model is configured for this session. To run a command in the workspace, start the message with `$ `",
		);
		expect(parts).to.deep.equal([{ type: "text", text: content }]);
	});

	it("says why the session's model cannot be used", async () => {
		await using session = new TestSession();
		const reason = 'Model "m1" cannot be used: SOME_KEY is not set where the platform was started';
		const pod = await session.start({ model: "m1", model_refusal: { model: "m1", reason, wires: ["anthropic"] } });
		expect(pod.status?.warnings, "before the first message").to.deep.equal([reason]);
		const { content } = await pod.ask("Please fix the login");
		expect(content).to.equal(`${reason}. To run a command in the workspace, start the message with \`$ \``);
		expect((await pod.ask("$ env | grep -c ATELIER_MODEL")).content, "commands have no use for it").to.match(/^0\n/);
	});

	it("keeps workspace and conversation over a restart, and sends the initial prompt once", async () => {
		await using session = new TestSession();
		const origin = makeRepository(join(session.folder, "origin"), { "README.md": "hello\n" });
		const launch = {
			repositories: [{ url: fileUrl(origin), branch: "main", base_branch: "", path: "" }],
			initial_prompt: "$ echo initial >> uncommitted.txt; cat uncommitted.txt",
		};
		const first = await session.start(launch);
		expect((await first.answer("initial")).content).to.equal("initial\n");
		await first.ask("$ echo second >> uncommitted.txt");
		const before = await first.history();
		await first.stop();

		const second = await session.start(launch);
		expect(await second.history()).to.deep.equal(before);
		expect((await second.ask("$ cat uncommitted.txt; git status --short")).content).to.equal(
			"initial\nsecond\n?? uncommitted.txt\n",
		);
		const asked = (await second.history()).turns.filter(({ role }) => role === "user");
		expect(asked.map(({ id }) => id === "initial")).to.deep.equal([true, false, false]);
	});

	it("works in the folder that the launch names, and refuses one outside", async () => {
		await using session = new TestSession();
		const setup_scripts = ["mkdir -p packages/api; ln -sfn / out"];
		const pod = await session.start({ working_folder: "packages/api", setup_scripts });
		expect((await pod.ask("$ pwd")).content).to.equal(`${join(session.workspace, "packages/api")}\n`);
		await pod.stop();
		for (const working_folder of ["out", "../..", "missing"]) {
			const failing = new TestPod(session.launch({ working_folder, setup_scripts }));
			expect((await failing.phase("failed")).failure).to.deep.equal({
				code: "SETUP_FAILED",
				message: `There is no working folder "${working_folder}" in the workspace`,
			});
			expect(await failing.ended()).to.equal(1);
		}
	});

	it("makes an empty repository on the branch when no URL is given", async () => {
		await using session = new TestSession();
		const pod = await session.start({ repositories: [{ url: "", branch: "work", base_branch: "", path: "" }] });
		expect((await pod.ask("$ git symbolic-ref HEAD; ls -A")).content).to.equal("refs/heads/work\n.git\n");
	});

	it("fails with the last lines of the setup script", async () => {
		await using session = new TestSession();
		const pod = new TestPod(session.launch({ setup_scripts: ["true", "echo first; false; echo not reached", "true"] }));
		expect((await pod.phase("failed")).failure).to.deep.equal({
			code: "SETUP_FAILED",
			message: "Setup script 2 ended with exit code 1: first",
		});
		expect(await pod.ended()).to.equal(1);
	});

	it("fails with a sentence about git where there is none", async () => {
		await using session = new TestSession();
		const launch = session.launch({});
		const pod = new TestPod(launch, JSON.stringify(launch), { PATH: session.folder });
		expect((await pod.phase("failed")).failure).to.deep.equal({
			code: "WORKSPACE_FAILED",
			message: "git is not installed where the session runs: install it, and start the session",
		});
	});

	it("fails when there is no such coding agent", async () => {
		await using session = new TestSession();
		const pod = new TestPod(session.launch({ agent: "nobody" }));
		expect((await pod.phase("failed")).failure?.code).to.equal("AGENT_START_FAILED");
		expect(await pod.ended()).to.equal(1);
	});

	it("ends at once without a change when the session has an agent of any generation", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		await pod.ask("$ echo kept > file.txt");
		const second = new TestPod(session.launch({ setup_scripts: ["rm -rf *"] }));
		expect(await second.ended()).to.equal(75);
		expect(second.output).to.equal(`Session "${session.id}" has an agent already\n`);
		expect(second.status).to.equal(undefined);
		expect(readdirSync(second.launch.home)).to.deep.equal([]);
		expect((await pod.ask("$ cat file.txt")).content).to.equal("kept\n");

		await pod.kill();
		const third = await session.start();
		expect((await third.ask("$ cat file.txt")).content).to.equal("kept\n");
	});

	it("ends with a sentence and without a status when its launch document is invalid", async () => {
		await using session = new TestSession();
		const launch = session.launch();
		const pod = new TestPod(launch, JSON.stringify(launch).slice(0, -5));
		expect(await pod.ended()).to.equal(65);
		expect(pod.output).to.equal("Cannot read the launch document: it is cut off or no JSON object\n");
		expect(existsSync(launch.status_file)).to.equal(false);
	});

	it("shows its commands only the allowed variables", async () => {
		await using session = new TestSession();
		const launch = session.launch({ env: { STAGE: "test", LD_PRELOAD: "/evil.so", HTTPS_PROXY: "http://evil" } });
		const pod = new TestPod(launch, undefined, {
			CANARY: "canary",
			ATELIER_ROLE: "agent",
			AWS_SECRET_ACCESS_KEY: "canary",
		});
		await pod.phase("ready");
		const { content } = await pod.ask("$ env -0 | tr '\\0' '\\n'");
		const names = content.split("\n").map((line) => line.split("=")[0]);
		// The shell adds the last three variables itself.
		const marks = [
			"ATELIER_GENERATION",
			"ATELIER_INSTALLATION",
			"ATELIER_PROOF",
			"ATELIER_SESSION",
			"ATELIER_CODING_AGENT",
		];
		const own = ["HOME", "LANG", "PATH", "STAGE", "TMPDIR", "TMP", "TEMP", "GIT_CEILING_DIRECTORIES", ...marks];
		expect(names.filter((name) => name !== "")).to.have.members([...own, "PWD", "SHLVL", "_"]);
		expect(content).to.contain(`HOME=${launch.home}`);
		for (const secret of [launch.platform_key, launch.pod_token, "canary"]) expect(content).not.to.contain(secret);
		expect((await pod.logs()).join())
			.to.contain('"LD_PRELOAD"')
			.and.to.contain('"HTTPS_PROXY"')
			.and.not.contain("evil");
	});

	it("gives commits the name of the person whose git configuration it may use", async () => {
		await using session = new TestSession();
		const person = join(session.folder, "person");
		makeRepository(join(person, "x"), { a: "" });
		writeFileSync(
			join(person, ".gitconfig"),
			'[user]\n\tname = "Grace \\"Amazing\\" Hopper"\n\temail = grace@example.com\n',
		);
		const commit = "$ git commit --allow-empty -qm x && git log -1 --format='%an <%ae>'";
		const pod = await session.start({ git_home: person });
		expect((await pod.ask(commit)).content).to.equal('Grace "Amazing" Hopper <grace@example.com>\n');
		await pod.stop();
		const next = await session.start();
		expect((await next.ask(commit)).content).to.equal("Atelier session <session@atelier.invalid>\n");
		expect(readFileSync(join(next.launch.home, ".gitconfig"), "utf8")).to.contain("Atelier session");
	});
});
