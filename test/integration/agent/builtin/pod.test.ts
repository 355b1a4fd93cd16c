/** The built-in agent with a model in a whole pod, through the session agent and its model proxy. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import type { McpServer } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../../support/eventually.ts";
import { freePort } from "../../../support/machine/free-port.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { call, edit, say, turns } from "../../../support/model-server/script.ts";
import { sessionProcesses } from "../../../support/platform/session-processes.ts";
import { TestSession } from "../../../support/pods/test-pod.ts";

const program = join(import.meta.dirname, "../../../support/agents/mcp-server.ts");

describe("a pod whose built-in agent has a model", () => {
	it("reports in its status and as WARNING in its log which MCP servers do not work, and why", async () => {
		await using server = await ModelServer.listen({ script: turns({ hello: [say("hello")] }) });
		await using session = new TestSession();
		const stdio = { type: "stdio" as const, args: [], env: {}, url: "", headers: {} };
		const mcp_servers: McpServer[] = [
			{ ...stdio, name: "absent", command: "no-such-program" },
			{ ...stdio, name: "gone", command: "true" },
		];
		const pod = await session.start({ model_access: server.access(), mcp_servers });
		const left = `The MCP server "absent" is left out: the session has no program "no-such-program"`;
		expect(pod.status?.warnings).to.have.length(1);
		expect(pod.status?.warnings?.[0]).to.contain(left);
		expect((await pod.ask("hello")).content).to.contain("hello");
		expect(pod.status?.warnings).to.have.length(2);
		expect(pod.status?.warnings?.[1]).to.match(/^The MCP server "gone" cannot be used: it ended before it answered$/);
		const { lines } = await pod.get<SessionLogs>("/api/logs?lines=2000");
		const logged = lines.filter(({ level }) => level === "WARNING").map(({ message }) => message);
		expect(logged).to.deep.equal(pod.status?.warnings);
		await pod.stop();
	}).timeout(30_000);

	it("warns before the first message when nothing listens at the address of a local model", async () => {
		await using session = new TestSession();
		const port = await freePort();
		const model_access = {
			provider: "mine",
			location: "local" as const,
			model: "m",
			context_window: 1_000,
			key: "",
			endpoints: { "openai-chat": `http://127.0.0.1:${port}/v1` },
		};
		const pod = await session.start({ model_access });
		const sentence = `Provider "mine" at http://127.0.0.1:${port} cannot be reached: ECONNREFUSED (nothing listens there: start its server, or choose another model)`;
		expect(pod.status?.warnings).to.deep.equal([sentence]);
		expect((await pod.ask("hello")).content, "the first answer").to.include(sentence);
		await pod.stop();
		await using server = await ModelServer.listen({ script: turns({ hello: [say("hello")] }) });
		const reached = await session.start({ model_access: { ...server.access(), location: "local" } });
		expect(reached.status?.warnings).to.equal(undefined);
		await reached.stop();
	});

	it("goes on after kill -9 with the same conversation, including its tool calls", async () => {
		const script = turns({
			write: [edit("notes.txt", "new\n"), say("written")],
			add: [call("tools__add", { a: 2, b: 40 }), say("added")],
			question: [say("answered")],
		});
		await using server = await ModelServer.listen({ script });
		await using session = new TestSession();
		const tools: McpServer = {
			name: "tools",
			type: "stdio",
			command: process.execPath,
			args: [program],
			env: {},
			url: "",
			headers: {},
		};
		const launch = { model_access: server.access(), mcp_servers: [tools] };
		const first = await session.start(launch);
		expect((await first.ask("write")).content).to.contain("written");
		expect((await first.ask("add")).content).to.contain("added");
		expect(readFileSync(join(session.workspace, "notes.txt"), "utf8")).to.equal("new\n");
		await first.kill();
		await eventually(() => sessionProcesses(session.installation).length === 0, { withinMs: 9_000 });
		const second = await session.start(launch);
		expect((await second.ask("question")).content).to.contain("answered");
		const items = server.requests.findLast(({ tools: offered }) => offered.length > 0)?.items ?? [];
		expect(items.map(({ role, text }) => [role, text])).to.deep.equal([
			["user", "write"],
			["assistant", ""],
			["tool", "Created notes.txt"],
			["assistant", "written"],
			["user", "add"],
			["assistant", ""],
			["tool", "42"],
			["assistant", "added"],
			["user", "question"],
		]);
		await second.stop();
		expect(server.problems).to.deep.equal([]);
	}).timeout(45_000);
});
