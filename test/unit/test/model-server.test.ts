/** The scripted model server on which other tests rely. */
import { expect } from "chai";
import { modelWires, type ModelWire } from "#shared/wire/models/model-wire.ts";
import { noTokens, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { Fault, Script } from "../../support/model-server/answer.ts";
import { type Json, jsonOf, type OfferedTool } from "../../support/model-server/model-request.ts";
import { anthropic } from "../../support/model-server/wires/anthropic.ts";
import { openaiResponses } from "../../support/model-server/wires/openai-responses.ts";
import { ModelServer } from "../../support/model-server/model-server.ts";
import { callNamed, runCommand, writeFile } from "../../support/model-server/offered-tools.ts";
import { call, edit, say, shell, turns } from "../../support/model-server/script.ts";
import { askModel, toolsOf, userMessage } from "../../support/model-server/simple-caller.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";

const tools: OfferedTool[] = [
	tool("read_file", { path: "string" }),
	tool("Write", { file_path: "string", content: "string" }),
	tool("Bash", { command: "string", description: "string" }),
	tool("mcp__notes__add", { note: "string" }),
];

describe("scripted model server", () => {
	for (const wire of modelWires) {
		for (const isStreaming of [true, false]) {
			describe(`${wire}, ${isStreaming ? "streaming" : "whole"}`, () => describeAnswers(wire, isStreaming));
		}
	}

	it("refuses a wrong key, and bills nothing for it", async () => {
		await using server = await ModelServer.listen({ script: () => ({ text: "hello" }) });
		for (const wire of modelWires) {
			const { status } = await askModel(server.access({ key: "wrong" }), wire, userMessage("hi"));
			expect(status, wire).to.equal(401);
		}
		expect(server.billed.calls).to.deep.equal([]);
	});

	it("lists its model and counts tokens without billing", async () => {
		await using server = await ModelServer.listen({ script: () => ({}) });
		const headers = { authorization: `Bearer ${server.key}` };
		const list = jsonOf(await (await fetch(`${server.endpoints["openai-chat"]}/models`, { headers })).json());
		expect(list["data"]).to.have.lengthOf(1);
		const count = await fetch(`${server.endpoints.anthropic}/v1/messages/count_tokens`, {
			method: "POST",
			headers,
			body: "{}",
		});
		expect(await count.json()).to.include({ input_tokens: 1_000 });
		expect(server.billed.calls).to.have.lengthOf(0);
	});

	it("answers a script that cannot go on with 400 and keeps the reason", async () => {
		await using server = await ModelServer.listen({ script: turns({ go: [shell("ls")] }) });
		const { status } = await askModel(server.access(), "anthropic", { ...userMessage("go"), tools: tools.slice(0, 1) });
		expect(status).to.equal(400);
		expect(server.problems[0]).to.contain("No tool runs a command; offered: read_file");
	});

	it("takes a message beside the answer of a tool for the user's, unless the agent has marked it as its own", () => {
		const result = { type: "tool_result", tool_use_id: "1", content: "done" };
		const items = (text: string) => {
			const content = [result, { type: "text", text }];
			return anthropic.parse({ messages: [{ role: "user", content }] }, "/v1/messages").items;
		};
		expect(items("<system-reminder>go on</system-reminder>")).to.deep.equal([{ role: "tool", text: "done" }]);
		expect(items("next")).to.deep.equal([
			{ role: "tool", text: "done" },
			{ role: "user", text: "next" },
		]);
	});

	it("finds tools as Codex offers them: in namespaces, behind a search, with a sandbox", () => {
		const greet = { type: "function", name: "greet", parameters: { type: "object", properties: {} } };
		const namespace = { type: "namespace", name: "mcp__nearby", tools: [greet] };
		const search = { type: "tool_search", execution: "client", parameters: {} };
		const command = { cmd: { type: "string" }, sandbox_permissions: { type: "string" } };
		const shellTool = { type: "function", name: "exec_command", parameters: { properties: command } };
		const patch = { type: "custom", name: "apply_patch" };
		const known = { type: "tool_search_output", call_id: "1", tools: [namespace] };
		const offered = (...input: Json[]) =>
			openaiResponses.parse({ tools: [search, shellTool, patch], input }, "/v1/responses").tools;

		expect(callNamed(offered(), /nearby.*greet/, {})).to.deep.equal({
			name: "tool_search",
			args: { query: "nearby greet" },
		});
		expect(callNamed(offered(known), /nearby.*greet/, {})).to.deep.equal({
			name: "greet",
			namespace: "mcp__nearby",
			args: {},
		});
		expect(runCommand(offered(), "ls").args).to.include({ cmd: "ls", sandbox_permissions: "require_escalated" });
		const rules = {
			type: "message",
			role: "developer",
			content: "<permissions instructions>Approval policy is currently never.",
		};
		expect(runCommand(offered(rules), "ls").args).to.deep.equal({ cmd: "ls" });
		expect(writeFile(offered(), "/w/a.txt", "new\n").args).to.include("*** Add File: /w/a.txt\n+new\n***");
	});

	it("leaves a stalled call when it ends", async () => {
		const server = await ModelServer.listen({ script: () => ({ fault: { kind: "stall" } }) });
		const asking = askModel(server.access(), "anthropic", userMessage("hi"));
		asking.catch(() => {});
		await new Promise((resolve) => setImmediate(resolve));
		await server[Symbol.asyncDispose]();
		expect((await asking.catch(() => ({ status: 0 }))).status).to.equal(0);
	});
});

function describeAnswers(wire: ModelWire, isStreaming: boolean): void {
	it("tells exactly what it bills", async () => {
		const usage = { input: 1_234, output: 321, cache_read: 77, ...(wire === "anthropic" && { cache_write: 55 }) };
		const script: Script = () => ({ thought: "hmm hmm", text: "hello there", usage });
		await using server = await ModelServer.listen({ script });
		const answer = await askModel(server.access(), wire, { ...userMessage("hi"), isStreaming });
		expect(answer).to.include({ status: 200, text: "hello there" });
		expect(answer.counts).to.deep.equal({ ...noTokens, ...usage });
		expect(server.billed.total).to.deep.equal(answer.counts);
		expect(server.billed.byModel).to.deep.equal({ "scripted-1": answer.counts });
	});

	it("calls tools in the rounds of a turn, and starts anew with the next message", async () => {
		const script = turns({
			change: [edit("/w/a.txt", "it's new"), shell("ls"), call("notes", { note: "n" }), say("changed")],
			other: [say("other")],
		});
		await using server = await ModelServer.listen({ script });
		let asked = { ...userMessage("please change"), isStreaming, tools };
		for (const expected of [
			{ name: "Write", args: { file_path: "/w/a.txt", content: "it's new" } },
			{ name: "Bash", args: { command: "ls", description: "scripted" } },
			{ name: "mcp__notes__add", args: { note: "n" } },
		]) {
			const answer = await askModel(server.access(), wire, asked);
			expect(answer.calls).to.deep.equal([expected]);
			asked = { ...asked, items: [...asked.items, { role: "assistant", text: answer.text, calls: answer.calls }] };
			asked.items.push({ role: "tool", text: "done" });
		}
		const last = await askModel(server.access(), wire, asked);
		expect(last).to.deep.include({ text: "changed", calls: [] });
		asked.items.push({ role: "assistant", text: "changed", calls: [] }, { role: "user", text: "other" });
		expect((await askModel(server.access(), wire, asked)).text).to.equal("other");
		expect(server.problems).to.deep.equal([]);
		expect(server.requests.at(-1)?.items).to.deep.equal(asked.items);
		expect(totalTokens(server.billed.total)).to.be.greaterThan(5_000);
	});

	it("gives side calls an answer: without tools, in a form, after a turn is over", async () => {
		await using server = await ModelServer.listen({ script: turns({ change: [say("changed")] }) });
		const access = server.access();
		const asked = { ...userMessage("change"), isStreaming, tools };
		expect((await askModel(access, wire, { ...asked, tools: [] })).text).to.equal("Scripted title");
		const properties = { unsafe: { type: "boolean" }, reason: { type: "string" } };
		const answerSchema = { type: "object", properties, required: ["unsafe", "reason"] };
		const classified = await askModel(access, wire, { ...asked, answerSchema });
		expect(JSON.parse(classified.text)).to.deep.equal({ unsafe: false, reason: "scripted" });
		asked.items.push({ role: "assistant", text: "changed", calls: [] }, { role: "user", text: "[SUGGESTION MODE]" });
		expect((await askModel(access, wire, asked)).text).to.equal("Scripted title");
	});

	it("fails in the ways it is told to, and says what it billed", async () => {
		await using server = await ModelServer.listen({ script: () => ({ text: "hello" }) });
		const access = server.access();
		const asked = { ...userMessage("hi"), isStreaming };
		const refusals: Fault[] = [401, 429, 500].map((status) => ({ kind: "status", status, retryAfterS: 7 }));
		server.failNext(...refusals, { kind: "broken", after: isStreaming ? 2 : 0 }, { kind: "slow", everyMs: 5 });
		for (const status of [401, 429, 500]) {
			const answer = await askModel(access, wire, asked);
			expect(answer).to.include({ status, retryAfter: "7" });
		}
		expect((await askModel(access, wire, asked)).isBroken).to.equal(true);
		expect((await askModel(access, wire, asked)).text).to.equal("hello");
		const { calls } = server.billed;
		expect(calls.map(({ end }) => end)).to.deep.equal(["refused", "refused", "refused", "cut", "whole"]);
		expect(calls[3]?.counts.input).to.equal(reportsEarly(wire) && isStreaming ? 1_021 : 0);
	});

	it("stalls until the caller leaves", async () => {
		await using server = await ModelServer.listen({ script: () => ({ fault: { kind: "stall" } }) });
		const leaving = new AbortController();
		const asking = askModel(server.access(), wire, { ...userMessage("hi"), isStreaming, signal: leaving.signal });
		const failed = failureOf(asking);
		await eventually(() => server.billed.calls.length === 1, { what: "the call has come" });
		leaving.abort();
		expect(await failed).to.have.property("name", "AbortError");
		expect(server.billed.calls[0]).to.deep.include({ counts: noTokens, end: "left" });
	});
}

/** The wires that report usage before the end. */
function reportsEarly(wire: ModelWire): boolean {
	return wire === "anthropic" || wire === "gemini";
}

describe("offered tools", () => {
	it("finds the tool for a purpose among other names and forms", () => {
		const editor = tool("create", { path: "string", file_text: "string" });
		expect(writeFile([editor], "/a", "b")).to.deep.equal({ name: "create", args: { path: "/a", file_text: "b" } });
		const list = tool("shell", {});
		list.schema = { properties: { command: { type: "array", items: { type: "string" } } }, required: ["command"] };
		expect(runCommand([list], "ls").args).to.deep.equal({ command: ["bash", "-lc", "ls"] });
		expect(writeFile([list], "/a", "it's")).to.deep.equal({
			name: "shell",
			args: { command: ["bash", "-lc", "printf %s 'it'\\''s' > '/a'"] },
		});
		expect(callNamed(toolsOf(["notes_add"]), "add", {}).name).to.equal("notes_add");
		expect(() => callNamed([editor], "nothing", {})).to.throw("offered: create");
	});
});

function tool(name: string, members: Record<string, string>): OfferedTool {
	const properties = Object.fromEntries(
		Object.entries(members).map(([member, type]): [string, Json] => [member, { type }]),
	);
	return { name, description: name, schema: { type: "object", properties, required: Object.keys(members) } };
}
