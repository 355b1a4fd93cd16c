/**
 * kill -9 of the processes of a session is noticed within five seconds and reported with a reason, and nothing is
 * lost.
 * Long: it kills every process of a session in turn.
 */
import { expect } from "chai";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { processFile } from "../../support/machine/process-file.ts";
import { ask, runningSession, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { type SessionProcess } from "../../support/platform/session-processes.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const noticedMs = 5_000;

describe("kill -9 of a session's processes", function () {
	this.timeout(60_000);
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		platform = await startPlatform();
		api = platform.client();
	});
	after(() => platform[Symbol.asyncDispose]());

	function agentOf(id: string): number {
		const agents = ofSession(platform, id).filter(({ isAgent }) => isAgent);
		// A child of the agent looks like the agent until it has executed its own program.
		const first = agents.filter(({ parent }) => !agents.some(({ pid }) => pid === parent));
		expect(first).to.have.length(1);
		return first[0]?.pid ?? 0;
	}

	function failed(id: string): Promise<SessionView> {
		return eventually(
			async () => {
				const { body } = await api.get<SessionView>(`/sessions/${id}`);
				return body.status === "failed" && body;
			},
			{ withinMs: noticedMs, what: `session ${id} is failed` },
		);
	}

	for (const adopted of [false, true])
		it(`the session agent, ${adopted ? "adopted" : "a child of the platform"}: POD_LOST, and start brings the work back`, async () => {
			const { id } = await runningSession(api);
			await ask(api, id, "$ echo uncommitted > kept.txt");
			if (adopted) {
				await platform.kill();
				await platform.start();
				await sessionReaches(api, id, "running");
			}
			process.kill(agentOf(id), "SIGKILL");
			expect((await failed(id)).status_reason?.code).to.equal("POD_LOST");
			await eventually(() => ofSession(platform, id).length === 0, { withinMs: 25_000, what: "nothing of it is left" });

			expect((await api.post(`/sessions/${id}/start`)).status).to.equal(200);
			await sessionReaches(api, id, "running");
			expect(await ask(api, id, "$ cat kept.txt")).to.include("uncommitted");
		});

	it("the coding agent: it is started again once and the turn is marked; the second time the session fails with AGENT_LOST", async () => {
		const { id } = await runningSession(api);
		const agent = agentOf(id);
		await api.post(`/sessions/${id}/messages`, { content: "$ sleep 60" });
		const first = codingAgent(platform, id, agent);
		const runs = () => ofSession(platform, id).some(({ parent }) => parent === first);
		await eventually(runs, { what: "the command runs" });
		process.kill(first, "SIGKILL");

		const marked = await eventually(
			async () => (await turns(api, id)).find(({ metadata }) => metadata?.["stop_reason"] !== undefined && metadata),
			{ withinMs: 10_000, what: "the turn is marked" },
		);
		expect(marked.role).to.equal("assistant");
		expect(marked.metadata).to.include({
			stop_reason: "interrupted",
			error: "The coding agent was ended by SIGKILL",
		});
		expect(await ask(api, id, "$ echo again")).to.include("again");
		expect(agentOf(id)).to.equal(agent);

		process.kill(codingAgent(platform, id, agent), "SIGKILL");
		expect((await failed(id)).status_reason?.code).to.equal("AGENT_LOST");
		await eventually(() => ofSession(platform, id).length === 0, { withinMs: 25_000, what: "nothing of it is left" });
	});
});

interface Turn {
	role: string;
	content: string;
	metadata?: Record<string, unknown>;
}

async function turns(api: ApiClient, id: string): Promise<Turn[]> {
	return (await api.get<{ turns: Turn[] }>(`/sessions/${id}/conversation`)).body.turns;
}

function ofSession(platform: TestPlatform, id: string): SessionProcess[] {
	return platform.sessionProcesses().filter(({ session }) => session === id);
}

/** Returns the session agent's child that runs the coding agent; git runs beside it for short times. */
function codingAgent(platform: TestPlatform, id: string, agent: number): number {
	const children = ofSession(platform, id).filter(({ pid, parent }) => parent === agent && isCodingAgent(pid));
	expect(children).to.have.length(1);
	return children[0]?.pid ?? 0;
}

function isCodingAgent(pid: number): boolean {
	return processFile(pid, "cmdline").includes("agent/builtin/main.ts");
}
