/**
 * A whole pod with a model: the usage of its coding agent reaches the platform, to the token, after any failure.
 * Long: it starts pods with a model and kills them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { totalTokens } from "#shared/wire/models/token-counts.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Answer } from "../../../support/model-server/answer.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { edit, say, shell, turns } from "../../../support/model-server/script.ts";
import { PlatformListener } from "../../../support/platform/platform-listener.ts";
import { processFile } from "../../../support/machine/process-file.ts";
import { sessionProcesses } from "../../../support/platform/session-processes.ts";
import { type TestPod, TestSession } from "../../../support/pods/test-pod.ts";

describe("books of a session", () => {
	for (const wire of ["openai-chat", "anthropic"] as const) {
		it(`reports what the built-in agent used over ${wire}, to the token`, async () => {
			await using session = new TestSession();
			await using platform = await PlatformListener.listen();
			await using server = await ModelServer.listen({ script: changeAndSay(session) });
			const endpoints = { [wire]: server.endpoints[wire] };
			const pod = await session.start({ ...launchOf(server, platform), model_access: server.access({ endpoints }) });
			const answer = await pod.ask("please change it");
			expect(answer.content).to.contain("changed");
			expect(readFileSync(join(session.workspace, "new.txt"), "utf8")).to.equal("hello\n");
			const tokens = totalTokens(server.billed.total);
			await eventually(() => platform.booked.length === 1);
			expect(platform.booked[0]).to.include({ tokens, message_count: 1, launch: 1, model: "scripted-1" });
			await pod.ask("please change it");
			await pod.stop();
			expect(server.problems).to.deep.equal([]);
			expect(platform.bookedCounts).to.deep.equal(server.billed.total);
			expect(messagesOf(platform)).to.deep.equal([1, 1]);
			console.log(
				`      ${wire}: ${totalTokens(platform.bookedCounts)} tokens reported = billed, in ${server.billed.calls.length} calls`,
			);
		}).timeout(30_000);
	}

	it("loses nothing when the pod is killed while the platform cannot be reached", async () => {
		await using session = new TestSession();
		await using platform = await PlatformListener.listen();
		await using server = await ModelServer.listen({ script: changeAndSay(session) });
		platform.status = 503;
		const first = await session.start(launchOf(server, platform));
		await first.ask("please change it");
		await eventually(() => platform.usages.length > 0);
		await first.kill();
		expect(platform.booked).to.deep.equal([]);
		const usedByFirst = totalTokens(server.billed.total);
		platform.status = 204;
		await eventually(() => sessionProcesses(session.installation).length === 0, { withinMs: 9_000 });
		const second = await session.start(launchOf(server, platform));
		await second.ask("please change it");
		await second.stop();
		expect(platform.bookedCounts).to.deep.equal(server.billed.total);
		expect(platform.booked.slice(0, 2).map(({ launch }) => launch)).to.deep.equal([1, 2]);
		expect(platform.booked[0]?.tokens).to.equal(usedByFirst);
		expect(messagesOf(platform), "the chronicle at the end is no message").to.deep.equal([1, 1]);
	}).timeout(45_000);

	it("loses nothing when the pod is killed in the middle of a turn", async () => {
		await using session = new TestSession();
		await using platform = await PlatformListener.listen();
		const write = edit(join(session.workspace, "new.txt"), "hello\n");
		let isStalling = true;
		// Anthropic reports the input at the beginning, which counts even if nobody reads the end.
		const go = (): Answer => ({ text: "done", ...(isStalling && { fault: { kind: "stall", after: 3 } }) });
		await using server = await ModelServer.listen({ script: turns({ change: [write, go] }) });
		const endpoints = { anthropic: server.endpoints.anthropic };
		const model_access = server.access({ endpoints });
		const first = await session.start({ ...launchOf(server, platform), model_access });
		const connection = await first.connect();
		await connection.send("a", "please change it");
		await eventually(() => server.billed.calls[1]?.counts.input, { withinMs: 9_000 });
		const spooled = (): string => readFileSync(join(first.launch.state, "usage.jsonl"), "utf8");
		await eventually(() => spooled().match(/"begun"/g)?.length === 2);
		connection.close();
		await first.kill();
		expect(platform.usages, "nothing was told within the turn").to.deep.equal([]);
		isStalling = false;
		await eventually(() => sessionProcesses(session.installation).length === 0, { withinMs: 9_000 });
		const second = await session.start({ ...launchOf(server, platform), model_access });
		await second.ask("please change it");
		await second.stop();
		expect(server.billed.calls[1]).to.include({ end: "left" });
		expect(platform.bookedCounts).to.deep.equal(server.billed.total);
		expect(platform.booked[0]).to.include({ launch: 1, message_count: 0 });
	}).timeout(45_000);

	it("reveals no key in environments, arguments, files, logs, answers and reports", async () => {
		await using session = new TestSession();
		await using platform = await PlatformListener.listen();
		const canary = `sk-canary-${crypto.randomUUID()}`;
		const commands = "env; tr '\\\\0' '\\\\n' < /proc/$PPID/environ; tr '\\\\0' ' ' < /proc/$PPID/cmdline";
		const script = turns({ look: [shell(commands), say("looked")] });
		await using server = await ModelServer.listen({ script, key: canary });
		const pod = await session.start({ ...launchOf(server, platform), setup_scripts: ["env > env.txt"] });
		server.failNext({ kind: "status", status: 401, message: `Incorrect key ${canary}` });
		await pod.ask("look");
		await pod.ask("look");
		const seen = [
			...inspect(session),
			...(await spoken(pod)),
			...modelWires.map((wire) =>
				JSON.stringify(server.requests.filter((one) => one.wire === wire).map(({ body }) => body)),
			),
		];
		await pod.stop();
		seen.push(
			pod.output,
			JSON.stringify([platform.histories, platform.activities, platform.usages]),
			...filesBelow(session.folder),
		);
		expect(server.billed.calls.map(({ end }) => end)).to.include.members(["refused", "whole"]);
		expect(seen.filter((text) => text.includes(canary))).to.deep.equal([]);
		expect(
			seen.some((text) => text.includes("ATELIER_SESSION=")),
			"it has looked",
		).to.equal(true);
	}).timeout(30_000);
});

function launchOf(server: ModelServer, platform: PlatformListener): object {
	return { model_access: server.access(), model: server.model, platform_url: platform.url, agent: "builtin" };
}

function changeAndSay(session: TestSession): ReturnType<typeof turns> {
	return turns({ change: [edit(join(session.workspace, "new.txt"), "hello\n"), shell("cat new.txt"), say("changed")] });
}

function messagesOf(platform: PlatformListener): number[] {
	return platform.booked.map(({ message_count }) => message_count).filter((count) => count > 0);
}

/** The environment and arguments of every process of the session; a git process may have ended meanwhile. */
function inspect(session: TestSession): string[] {
	const pids = sessionProcesses(session.installation).map(({ pid }) => pid);
	const shown = pids.map((pid) => [processFile(pid, "environ"), processFile(pid, "cmdline")]);
	const whole = shown.filter((texts) => !texts.includes(""));
	expect(whole.length, "session agent and coding agent").to.be.at.least(2);
	return shown.flat();
}

async function spoken(pod: TestPod): Promise<string[]> {
	const paths = ["/api/logs?lines=2000", "/api/conversation/history"];
	return Promise.all(paths.map(async (path) => (await pod.fetch(path)).text()));
}

function filesBelow(folder: string): string[] {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}
