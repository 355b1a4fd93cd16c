import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { processFile } from "../../support/machine/process-file.ts";
import { PlatformListener } from "../../support/platform/platform-listener.ts";
import { sessionProcesses } from "../../support/platform/session-processes.ts";
import { TestSession } from "../../support/pods/test-pod.ts";

describe("end of a session pod", () => {
	it("is quick without a turn, and keeps the status", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		await pod.connect();
		const since = performance.now();
		expect(await pod.stop()).to.equal(0);
		// An idle machine needs 300 ms; tests share theirs.
		expect(performance.now() - since).to.be.below(1_500);
		expect(pod.status?.phase).to.equal("ready");
		expect(sessionProcesses(session.installation)).to.deep.equal([]);
	});

	it("can be asked until its reports are delivered, and takes no message any more", async () => {
		await using platform = await PlatformListener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		const { socket } = await pod.connect();
		const answers = Promise.withResolvers<void>();
		platform.silence = answers.promise;
		const ended = pod.stop();
		await once(socket, "close");
		expect((await pod.fetch("/api/logs")).status).to.equal(200);
		await failureOf(pod.connect());
		expect(pod.hasEnded, "the platform has not answered yet").to.equal(false);
		answers.resolve();
		expect(await ended).to.equal(0);
	});

	it("cancels the current turn, stores its parts, and begins no other", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const connection = await pod.connect();
		await connection.send("m1", "$ echo begun; trap '' TERM; while :; do sleep 1; done");
		await connection.send("m2", "$ touch second");
		await eventually(async () => (await pod.history()).is_active);
		await eventually(() =>
			readFileSync(join(pod.launch.state, "conversation.jsonl"), "utf8").includes('"started":"m1"'),
		);
		const since = performance.now();
		expect(await pod.stop()).to.equal(0);
		expect(performance.now() - since).to.be.below(10_000);
		expect(sessionProcesses(session.installation)).to.deep.equal([]);
		expect(existsSync(join(session.workspace, "second"))).to.equal(false);

		const next = await session.start();
		expect((await next.answer("m1")).metadata["stop_reason"]).to.equal("cancelled");
		await next.answer("m2");
	});

	it("finds processes outside of the process groups by the pod's marker", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		await pod.ask(
			"$ setsid -f sh -c 'trap \"\" TERM HUP; echo $$ > daemon; while :; do sleep 1; done' > /dev/null 2>&1",
		);
		const daemon = Number(await eventually(() => readFileSync(join(session.workspace, "daemon"), "utf8") || undefined));
		expect(sessionProcesses(session.installation).map(({ pid }) => pid)).to.include(daemon);
		expect(await pod.stop()).to.equal(0);
		expect(sessionProcesses(session.installation)).to.deep.equal([]);
	});

	it("waits for no command that leaves its output open to a daemon", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		expect((await pod.ask("$ sleep 60 & echo done")).content).to.equal("done\n");
	});

	it("does not follow the first loss of the coding agent, which is started again; the turn says what happened", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		const lost = await pod.ask("$ echo last words; kill -9 $PPID; sleep 5");
		expect(lost.metadata).to.include({
			stop_reason: "interrupted",
			error: "The coding agent was ended by SIGKILL",
		});
		expect((await pod.ask("$ echo back")).content).to.equal("back\n");
		expect(pod.status?.phase).to.equal("ready");
	});

	it("leaves no command of a lost coding agent running, and lets what setup started go on", async () => {
		await using session = new TestSession();
		const pod = await session.start({ setup_scripts: ["setsid -f sleep 300"] });
		const sleeping = () =>
			sessionProcesses(session.installation)
				.map(({ pid }) => commandOf(pid))
				.filter((command) => command.startsWith("sleep "));
		const connection = await pod.connect();
		await connection.send("m1", "$ sleep 301 & setsid -f sleep 302; (setsid sleep 303 &); sleep 304");
		await eventually(() => sleeping().length === 5);
		// Git runs beside it for short times.
		const [agent, ...others] = sessionProcesses(session.installation).filter(
			({ pid, parent }) => parent === pod.pid && commandOf(pid).includes("agent/builtin/main.ts"),
		);
		expect(others).to.deep.equal([]);
		process.kill(agent?.pid ?? 0, "SIGKILL");
		await pod.answer("m1");
		expect(sleeping()).to.deep.equal(["sleep 300"]);
		expect((await pod.ask("$ echo back")).content).to.equal("back\n");
	});

	it("follows a second loss of the coding agent soon after the first", async () => {
		await using session = new TestSession();
		const pod = await session.start();
		await pod.ask("$ kill -9 $PPID; sleep 5");
		const connection = await pod.connect();
		await connection.send("again", "$ kill -9 $PPID; sleep 5");
		expect((await pod.phase("failed")).failure).to.deep.equal({
			code: "AGENT_LOST",
			message: "The coding agent was ended by SIGKILL",
		});
		expect(await pod.ended()).to.equal(1);
		expect(sessionProcesses(session.installation)).to.deep.equal([]);
	});
});

/** Returns an empty text for a process that has ended. */
function commandOf(pid: number): string {
	return processFile(pid, "cmdline").replaceAll("\0", " ").trim();
}
