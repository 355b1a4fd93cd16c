/** No process of a running platform has a secret in its environment, where other programs of the user can read it. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { NpmStart } from "../../support/installations/npm-start.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

const withWaitingAgent = { runtime: { kwargs: { waiting: 1 } } };

/** Names that people use, and a name that nobody would expect. */
function secrets(canary: string): Record<string, string> {
	const key = Buffer.alloc(32, canary).toString("base64url");
	return {
		ANTHROPIC_API_KEY: canary,
		ATELIER_INSTALLATION_KEY: key,
		AUTH_DISCOVERY__CLI_CLIENT_ID: canary,
		"some.thing": `${canary}\nof 'two' "lines" $HOME`,
		LARGE: canary.repeat(3_000),
	};
}

/** Returns the process ids of the platform and of everything it has started. */
function holders(canary: string): number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.filter((pid) => environOf(pid).includes(canary))
		.map(Number);
}

/** Returns an empty text for a process that has ended or belongs to another user. */
function environOf(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1");
	} catch {
		return "";
	}
}

describe("the environment of the platform", function () {
	this.timeout(120_000);

	it("has no secret in /proc, of the platform or of its agents (H8)", async () => {
		const canary = randomUUID();
		await using platform = await startPlatform({ env: secrets(canary), config: { pods: withWaitingAgent } });
		const api = platform.client();
		const { id } = await runningSession(api);
		const { body: models } = await api.get<{ id: string; available: boolean }[]>("/models");
		const available = models.filter(({ id: model }) => model.startsWith("claude")).map((model) => model.available);
		expect(available).to.include(true).and.not.include(false);
		await eventually(() => platform.waitingAgents().length > 0, { withinMs: 20_000 });
		const read = "for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' <$file; done 2>/dev/null";
		expect(await ask(api, id, `$ (${read}) | grep -c ${canary.slice(0, 18)}""${canary.slice(18)}; true`)).to.match(
			/\b0\b/,
		);
		expect(holders(canary)).to.deep.equal([]);
	});

	it("cannot be read by a debugger that a session's command opens in the platform or an agent", async () => {
		await using platform = await startPlatform({ env: secrets(randomUUID()), config: { pods: withWaitingAgent } });
		const api = platform.client();
		const { id } = await runningSession(api);
		await eventually(() => platform.waitingAgents().length > 0, { withinMs: 20_000 });
		const agent = platform.agents().find(({ session }) => session === id)?.pid ?? 0;
		const waiting = platform.waitingAgents()[0] ?? 0;
		const main = platform.processes[0]?.pid ?? 0;
		const all = [main, agent, waiting];
		// Node says that it opens the debugger, or that it cannot because the port is taken.
		expect(await ask(api, id, `$ kill -USR1 ${all.join(" ")} && echo told`)).to.include("told");
		const second = await runningSession(api);
		expect(await ask(api, second.id, "$ echo works")).to.include("works");
		const run = join(platform.dataDir, "run");
		const logs = readdirSync(run, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".log"));
		const said = logs.map((name) => readFileSync(join(run, name), "utf8"));
		await platform.stop();
		expect([platform.output, ...said].join("\n")).not.to.match(/debugger|inspector/i);
	});

	it("remains only with npm after npm start, and Ctrl-C ends both in order (H8)", async () => {
		const canary = randomUUID();
		const folder = mkdtempSync(join(tmpdir(), "atelier-npm-start-"));
		try {
			await using npm = await NpmStart.begin(folder, { ...process.env, ...secrets(canary) });
			expect(holders(canary)).to.deep.equal([npm.pid]);
			await npm.end("SIGINT", "group");
			await npm.gone();
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	});

	it("does not change the end: two signals at once count as one, and a failed start has its exit code (H8)", async () => {
		const env = secrets(randomUUID());
		await using platform = await startPlatform({ env });
		const stream = await platform.events();
		const [main] = platform.processes;
		// Two equal signals would become one before they are handled.
		main?.signal("SIGINT");
		main?.signal("SIGTERM");
		await stream.ended();
		expect(stream.events.at(-1)?.event).to.equal("bye");
		expect(await main?.ended(), main?.output).to.equal(0);
		const wrong = platform.startProcess([], { STREAM__MAX_CLIENTS: "many" });
		expect(await wrong.ended()).to.equal(78);
		expect(wrong.output).to.include("stream.max_clients");
	});
});
