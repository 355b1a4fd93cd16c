import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { expect } from "chai";
import { AgentProcess } from "#agent/agent-process.ts";
import { type AgentRecord, readAgentRecord } from "#agent/agent-record.ts";
import type { AgentUpdate, CodingAgent } from "#agent/coding-agent.ts";
import { AcpAgent, type AcpOptions } from "#agent/coding-agents/acp.ts";
import { LogBuffer } from "#agent/log-buffer.ts";
import { Permissions } from "#agent/permissions.ts";
import { describeCodingAgent } from "./coding-agent.contract.ts";

const folder = mkdtempSync(join(tmpdir(), "atelier-agents-"));
after(() => rmSync(folder, { recursive: true }));

const log = new LogBuffer([]);
const scripted: AgentRecord = {
	id: "scripted",
	title: "Untitled",
	command: [process.execPath, join(import.meta.dirname, "../support/scripted-agent.ts")],
	env: {},
	late_update_ms: 300,
};

async function open(record: AgentRecord, options: Partial<AcpOptions> = {}): Promise<CodingAgent> {
	const agentProcess = new AgentProcess(record, { PATH: process.env["PATH"] ?? "", HOME: folder }, folder, log);
	const { id, title, late_update_ms: lateUpdateMs } = record;
	const agent = await AcpAgent.connect(agentProcess, {
		id,
		title,
		model: "",
		systemPrompt: "",
		lateUpdateMs,
		permissions: new Permissions("auto", (said) => log.add("INFO", id, said)),
		log,
		...options,
	});
	await agent.open(folder);
	return agent;
}

describeCodingAgent("built-in, shell mode", {
	open: async () => open(await readAgentRecord("builtin", { model: "", compile_cache: "" })),
	hello: "$ echo hello",
	endless: "$ sleep 60",
	deadly: "$ kill -9 $PPID; sleep 5",
});

describeCodingAgent("any agent of the protocol", {
	open: () => open(scripted),
	hello: "say hello",
	endless: "hang",
	deadly: "crash",
});

describe("AcpAgent", () => {
	async function updatesOf(message: string, options: Partial<AcpOptions> = {}): Promise<AgentUpdate[]> {
		const agent = await open(scripted, options);
		try {
			const updates: AgentUpdate[] = [];
			await agent.prompt(message, (update) => updates.push(update));
			return updates;
		} finally {
			await agent.close();
		}
	}

	it("waits for updates that come after the answer, as long as the record says", async () => {
		expect(await updatesOf("late words")).to.deep.equal([{ type: "text", text: "words" }]);
		expect(await updatesOf("late words", { lateUpdateMs: 0 }), "control").to.deep.equal([]);
	});

	it("permits once, never for ever, and says so in the log", async () => {
		expect(await updatesOf("ask")).to.deep.equal([{ type: "text", text: "allow_once" }]);
		expect(log.tail().lines.map(({ message }) => message)).to.include("Permitted once: write a file");
	});

	it("answers requests it does not know as the protocol says, and goes on", async () => {
		expect(await updatesOf("odd")).to.deep.equal([{ type: "text", text: "-32601 -32601 -32601" }]);
	});

	it("reads thoughts, and tools that were never announced", async () => {
		expect(await updatesOf("think hm\ntool t1")).to.deep.equal([
			{ type: "reasoning", text: "hm" },
			{ type: "tool", id: "t1", status: "completed", exit_code: 0 },
		]);
	});

	it("chooses the model where the agent offers a choice, and warns where it does not offer that one", async () => {
		expect(await updatesOf("say {model}", { model: "large" })).to.deep.equal([{ type: "text", text: "large" }]);
		expect(await updatesOf("say {model}", { model: "huge" })).to.deep.equal([{ type: "text", text: "small" }]);
		expect(log.tail().lines.at(-1)?.message).to.equal('The coding agent has no model "huge"; it offers small, large');
	});

	it("puts the system prompt before the first message only", async () => {
		const agent = await open(scripted, { systemPrompt: "Be brief" });
		const texts: string[] = [];
		const ask = (): Promise<string> =>
			agent.prompt("say {blocks}", (update) => "text" in update && texts.push(update.text));
		await ask();
		await ask();
		await agent.close();
		expect(texts).to.deep.equal(["Be brief|say {blocks}", "say {blocks}"]);
	});

	it("tells the agent's own words when a turn fails, and goes on", async () => {
		const agent = await open(scripted);
		const failure = await agent.prompt("fail no credit left", () => {}).catch((error: unknown) => error);
		expect(failure).to.be.instanceOf(Error).with.property("message").that.contains("no credit left");
		expect(await agent.prompt("say back", () => {})).to.equal("end_turn");
		await agent.close();
	});

	const broken: [what: string, command: string[], words: RegExp][] = [
		["is not there", ["/nonexistent/agent"], /cannot be started: spawn .* ENOENT/],
		["ends at once", [process.execPath, "-e", "console.error('no key'); process.exit(3)"], /exit code 3: no key$/],
	];
	for (const [what, command, words] of broken) {
		it(`says why an agent that ${what} cannot be spoken to`, async () => {
			const failure = await open({ ...scripted, command }).catch((error: unknown) => error);
			expect(failure).to.be.instanceOf(Error).with.property("message").that.matches(words);
		});
	}
});

describe("the built-in agent", () => {
	it("speaks the protocol as its SDK reads it", async () => {
		const { command } = await readAgentRecord("builtin", { model: "", compile_cache: "" });
		const [program = "", ...args] = command;
		const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
		const gone = once(child, "exit");
		const updates: string[] = [];
		const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
		const { agent } = acp
			.client({ name: "test" })
			.onNotification(acp.methods.client.session.update, ({ params }) => void updates.push(params.update.sessionUpdate))
			.connect(acp.ndJsonStream(Writable.toWeb(child.stdin), input));
		const { agentInfo } = await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION });
		expect(agentInfo?.title).to.equal("Shell (no AI)");
		const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: folder, mcpServers: [] });
		const prompt = [{ type: "text" as const, text: "$ echo hello" }];
		expect(await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt })).to.deep.equal({
			stopReason: "end_turn",
		});
		expect(updates).to.include("tool_call_update");
		expect([updates[0], updates.at(-1)]).to.deep.equal(["tool_call", "agent_message_chunk"]);
		child.stdin.end();
		expect((await gone)[0]).to.equal(0);
	});
});
