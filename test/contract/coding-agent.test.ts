/** Long: it starts some thirty coding agents, some of which have to be killed after a deadline. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { expect } from "chai";
import { type AgentRecord, readAgentRecord } from "#agent/coding-agents/agent-record.ts";
import type { AgentUpdate, CodingAgent } from "#agent/coding-agents/coding-agent.ts";
import type { AcpOptions } from "#agent/coding-agents/acp/acp.ts";
import { SavedSession } from "#agent/coding-agents/saved-session.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { McpServer } from "#shared/wire/pod/launch.ts";
import { openAgent, scriptedRecord } from "../support/agents/open-agent.ts";
import { describeCodingAgent } from "./coding-agent.contract.ts";

const folder = mkdtempSync(join(tmpdir(), "atelier-agents-"));
after(() => rmSync(folder, { recursive: true }));

const log = new LogBuffer([]);
const scripted = scriptedRecord();

function open(record: AgentRecord, options: Partial<AcpOptions> = {}): Promise<CodingAgent> {
	return openAgent(record, folder, { log, ...options });
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
	async function updatesOf(
		message: string,
		options: Partial<AcpOptions> = {},
		record = scripted,
	): Promise<AgentUpdate[]> {
		const agent = await open(record, options);
		try {
			const updates: AgentUpdate[] = [];
			await agent.prompt(message, (update) => updates.push(update));
			return updates;
		} finally {
			await agent.close();
		}
	}

	/** The agent's answers to the messages, in order. */
	async function textsOf(record: AgentRecord, messages: string[], options: Partial<AcpOptions>): Promise<string[]> {
		const agent = await open({ ...record, late_update_ms: 0 }, options);
		const texts: string[] = [];
		try {
			for (const message of messages) {
				await agent.prompt(message, (update) => void ("text" in update && texts.push(update.text)));
			}
			return texts;
		} finally {
			await agent.close();
		}
	}

	const lastWords = (): string | undefined => log.tail().lines.at(-1)?.message;

	it("waits for updates that come after the answer, as long as the record says", async () => {
		// The updates come half a second after the answer, or later on a busy machine.
		const patient = { ...scripted, late_update_ms: 3_000 };
		expect(await updatesOf("late words", {}, patient)).to.deep.equal([{ type: "text", text: "words" }]);
		expect(await updatesOf("late words", {}, { ...scripted, late_update_ms: 0 }), "control").to.deep.equal([]);
	});

	it("permits once and never for ever, and logs it", async () => {
		// A call that is announced only by its request is shown too.
		expect(await updatesOf("ask")).to.deep.equal([
			{ type: "tool", id: "t", title: "write a file", status: "pending" },
			{ type: "tool", id: "t", status: "in_progress" },
			{ type: "text", text: "allow_once" },
			{ type: "tool", id: "t", status: "completed" },
		]);
		expect(log.tail().lines.map(({ message }) => message)).to.include("Permitted once: write a file");
	});

	it("answers requests it does not know as the protocol says, and goes on", async () => {
		expect(await updatesOf("odd")).to.deep.equal([{ type: "text", text: "-32601 -32601 -32601" }]);
	});

	it("reads thoughts, and tool calls that were never announced", async () => {
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

	it("changes its mode with the permission mode, and says when it has no such mode", async () => {
		const modes = { ask: "plan", auto: "work" };
		const agent = await open({ ...scriptedRecord("modes"), modes });
		const mode = async (): Promise<string> => {
			const texts: string[] = [];
			await agent.prompt("say {mode}", (update) => "text" in update && texts.push(update.text));
			return texts.join("");
		};
		expect(await mode()).to.equal("work");
		await agent.setPermissionMode("ask");
		expect(await mode()).to.equal("plan");
		await agent.close();
		const strange = await open({ ...scriptedRecord("modes"), modes: { ask: "dream", auto: "work" } });
		const failure = await strange.setPermissionMode("ask").catch((error: unknown) => error);
		expect(failure).to.be.instanceOf(Error).with.property("message").that.includes('no mode "dream"');
		await strange.close();
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

	it("gives the system prompt to an agent that takes one, and not as part of a message", async () => {
		const record = scriptedRecord("system");
		const texts = await textsOf(record, ["say {system} {blocks}"], { systemPrompt: "Be brief" });
		const prompt = JSON.stringify({ mode: "append", content: [{ type: "text", text: "Be brief" }] });
		expect(texts).to.deep.equal([`${prompt} say {system} {blocks}`]);
	});

	const tools: McpServer = {
		name: "tools",
		type: "stdio",
		command: "true",
		args: ["-x"],
		env: { A: "1" },
		url: "",
		headers: {},
	};
	const web: McpServer = { ...tools, name: "web", type: "http", url: "http://127.0.0.1:1/mcp", headers: { H: "2" } };

	it("passes MCP servers in the form that the agent supports, and names unsupported ones", async () => {
		let warning = "";
		const onNotice: AcpOptions["onNotice"] = (notice) => {
			if (notice.type === "warning") warning = notice.sentence;
		};
		const ask = (habits: string[], changes: Partial<AgentRecord> = {}): Promise<string[]> => {
			const record = { ...scriptedRecord(...habits), ...changes };
			return textsOf(record, ["say {servers}"], { mcpServers: [tools, web], onNotice });
		};
		expect(await ask(["http"])).to.deep.equal(["tools:stdio:-x:1 web:http:http://127.0.0.1:1/mcp:2"]);
		expect(await ask([])).to.deep.equal(["tools:stdio:-x:1"]);
		expect(warning).to.equal("The coding agent cannot use these MCP servers: web (http)");
		expect(await ask(["http"], { mcp: "http" })).to.deep.equal(["web:http:http://127.0.0.1:1/mcp:2"]);
		await ask(["http"], { mcp: "none" });
		expect(warning).to.equal("The coding agent cannot use these MCP servers: tools (stdio), web (http)");
	});

	it("chooses the mode of its record, and warns where the agent has no such mode", async () => {
		const ask = (mode: string): Promise<string[]> =>
			textsOf({ ...scriptedRecord("modes"), modes: { ask: mode, auto: mode } }, ["say {mode}"], {});
		expect(await ask("")).to.deep.equal(["plan"]);
		expect(await ask("work")).to.deep.equal(["work"]);
		expect(await ask("yolo")).to.deep.equal(["plan"]);
		expect(lastWords()).to.equal('The coding agent has no mode "yolo"; it stays as it starts');
	});

	describe("in a new process", () => {
		const past = (): string => "Before";
		const again = async (habits: string[], options: Partial<AcpOptions> = {}, loads = true): Promise<string[]> => {
			const saved = new SavedSession(join(folder, `${randomUUID()}.json`), "scripted");
			const both = { saved, past, systemPrompt: "Be brief" };
			await textsOf(scriptedRecord(...habits), [], both);
			return textsOf({ ...scriptedRecord(...habits), loads }, ["say {blocks}"], { ...both, ...options });
		};

		it("continues the conversation if the agent can, and ignores its repetition", async () => {
			expect(await again(["load"])).to.deep.equal(["say {blocks}"]);
		});

		it("begins a new conversation with the earlier turns if the agent cannot load its own", async () => {
			const told = ["Be brief|Before|say {blocks}"];
			expect(await again([]), "does not offer it").to.deep.equal(told);
			expect(await again(["load"], {}, false), "is not relied on").to.deep.equal(told);
			const other = new SavedSession(join(folder, "other.json"), "scripted");
			expect(await again(["load"], { saved: other }), "has none in this folder").to.deep.equal(told);
			expect(await again(["load-fails"]), "fails").to.deep.equal(told);
			expect(lastWords()).to.match(/cannot take up its conversation, and begins a new one: .*It is gone$/);
		});
	});

	it("reports the data of an agent's error", async () => {
		const agent = await open(scripted);
		const failure = await agent.prompt("detail quota is used up", () => {}).catch((error: unknown) => error);
		expect(failure)
			.to.be.instanceOf(Error)
			.with.property("message")
			.that.matches(/.: quota is used up$/);
		await agent.close();
	});

	it("reports the agent's own words when a turn fails, and goes on", async () => {
		const agent = await open(scripted);
		const failure = await agent.prompt("fail no credit left", () => {}).catch((error: unknown) => error);
		expect(failure).to.be.instanceOf(Error).with.property("message").that.contains("no credit left");
		expect(await agent.prompt("say back", () => {})).to.equal("end_turn");
		await agent.close();
	});

	it("notifies an agent of a cancellation once, and treats its failure as the cancellation", async () => {
		const agent = await open(scripted);
		const turn = agent.prompt("sulk", () => {});
		for (let press = 0; press < 5; press++) agent.cancel();
		expect(await turn).to.equal("cancelled");
		const texts: string[] = [];
		await agent.prompt("say {cancels}", (update) => void ("text" in update && texts.push(update.text)));
		expect(texts).to.deep.equal(["1"]);
		expect(await agent.prompt("fail of itself", () => {}).catch((error: Error) => error.name)).to.equal("RpcError");
		await agent.close();
	});

	it("is ended by the signal of its record if it ignores the end of its input", async () => {
		const timeToEnd = async (end_signal: AgentRecord["end_signal"]): Promise<number> => {
			const agent = await open({ ...scriptedRecord("deaf"), end_signal });
			const since = performance.now();
			await agent.close();
			return performance.now() - since;
		};
		expect(await timeToEnd("SIGTERM")).to.be.below(2_500);
		expect(await timeToEnd("none"), "control").to.be.within(2_900, 5_900);
	});

	it("logs lines that match the record's chatter as DEBUG, and others as INFO", async () => {
		const said = new LogBuffer([]);
		const command = [process.execPath, "-e", "console.error('a phase=1\\nno key'); process.exit(3)"];
		await open({ ...scripted, command, chatter: " phase=" }, { log: said }).catch(() => {});
		const lines = said.tail().lines.map(({ level, message }) => [level, message]);
		expect(lines).to.deep.include(["DEBUG", "a phase=1"]).and.to.deep.include(["INFO", "no key"]);
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
	it("speaks the protocol as its SDK requires", async () => {
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
