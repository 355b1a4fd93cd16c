/** The built-in agent with a model in a whole pod, through the session agent and its model proxy. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { McpServer } from "#shared/pod/launch.ts";
import { eventually } from "../../../support/eventually.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { call, edit, say, turns } from "../../../support/model-server/script.ts";
import { sessionProcesses } from "../../../support/platform/session-processes.ts";
import { TestSession } from "../../../support/pods/test-pod.ts";

const program = join(import.meta.dirname, "../../../support/agents/mcp-server.ts");

describe("a pod whose built-in agent has a model", () => {
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
