/** The built-in agent in model mode: its reactions to the answers of a model, in both wire formats. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { builtinWires } from "#agent/builtin/model/model-settings.ts";
import { totalTokens } from "#shared/wire/models/token-counts.ts";
import { BuiltinAgent, shownBy } from "../../../support/agents/builtin-agent.ts";
import { useFolder } from "../../../support/use-folder.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { call, edit, say, shell, turns } from "../../../support/model-server/script.ts";

const script = turns({
	hello: [say("hello", { thought: "a greeting" })],
	change: [edit("notes.txt", "new\n"), say("changed")],
	replace: [call("edit_file", { path: "a.txt", old_text: "two", new_text: "2" }), say("replaced")],
	command: [shell("echo out; echo err >&2; exit 3"), say("ran")],
	plan: [
		call("update_plan", {
			steps: [
				{ content: "look", status: "in_progress", priority: "high" },
				{ content: "act", status: "pending" },
			],
		}),
		say("planned"),
	],
	look: [
		call("read_file", { path: "a.txt" }),
		call("list_files", { pattern: "**/*.txt" }),
		call("search_files", { pattern: "t.o" }),
		say("looked"),
	],
	environment: [shell("env"), say("ok")],
	wrong: [
		() => ({ calls: [{ name: "bash", args: { timeout_seconds: 1 } }] }),
		() => ({ calls: [{ name: "edit_file", args: '{"path": "a.t' }] }),
		say("sorry"),
	],
});

/** The scripted server wraps texts that are no JSON, because this wire has no place for them. */
const needsPath = 'The input needs "path", a text';

describe("the built-in agent on Anthropic's wire", () => {
	const folder = useFolder();

	it("marks what the provider may cache: the instructions, and the conversation so far", async () => {
		await using server = await ModelServer.listen({ script });
		await using agent = new BuiltinAgent({ server, wire: "anthropic" });
		const session = await agent.open(folder());
		await session.say("change");
		const mark = '"cache_control":{"type":"ephemeral"}';
		for (const { body } of server.requests) {
			const messages = body["messages"] as unknown[];
			expect(JSON.stringify(body["system"]).split(mark)).to.have.length(2);
			expect(messages.map((message) => JSON.stringify(message).includes(mark))).to.deep.equal(
				messages.map((_, index) => index === messages.length - 1),
			);
		}
		expect(server.requests).to.have.length(2);
	});
});

for (const wire of builtinWires) {
	describe(`the built-in agent with a model (${wire})`, () => {
		const folder = useFolder();
		let server: ModelServer;
		let agent: BuiltinAgent;
		beforeEach(async () => {
			server = await ModelServer.listen({ script });
			agent = new BuiltinAgent({ server, wire });
		});
		afterEach(async () => {
			await agent[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
			expect(server.problems).to.deep.equal([]);
			expect(agent.errors).to.equal("");
		});

		it("reports its name and capabilities", async () => {
			const { agentInfo, agentCapabilities } = await agent.initialize();
			expect(agentInfo?.title).to.equal("Built-in agent (scripted-1)");
			expect(agentCapabilities?.loadSession ?? false).to.equal(false);
			expect(agentCapabilities?.mcpCapabilities).to.include({ http: true });
		});

		it("answers, with its thoughts, the tokens of the turn and how full the context is", async () => {
			const session = await agent.open(folder());
			const { stopReason, usage } = await session.say("hello");
			expect([stopReason, agent.text]).to.deep.equal(["end_turn", "hello"]);
			const thoughts = agent.updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk");
			expect(thoughts).not.to.deep.equal([]);
			const { input, output, cache_read, cache_write } = server.billed.total;
			const total = totalTokens(server.billed.total);
			expect(usage).to.deep.equal({
				totalTokens: total,
				inputTokens: input,
				outputTokens: output,
				cachedReadTokens: cache_read,
				// Only one of the wires reports it.
				cachedWriteTokens: cache_write,
			});
			expect(agent.updates.at(-1)).to.deep.equal({ sessionUpdate: "usage_update", used: total, size: 128_000 });
		});

		it("creates a file, shown as a diff before it is permitted", async () => {
			const session = await agent.open(folder());
			expect((await session.say("change")).stopReason).to.equal("end_turn");
			expect(readFileSync(join(folder(), "notes.txt"), "utf8")).to.equal("new\n");
			const path = join(folder(), "notes.txt");
			const diff = { type: "diff", path, oldText: null, newText: "new\n" };
			expect(agent.asked[0]?.toolCall).to.deep.include({ kind: "edit", title: "Create notes.txt", content: [diff] });
			expect(agent.asked[0]?.options.map(({ kind }) => kind)).to.deep.equal([
				"allow_once",
				"allow_always",
				"reject_once",
			]);
			expect(agent.calls).to.have.length(1);
			expect(agent.calls[0]).to.deep.include({ status: "completed", content: [diff], locations: [{ path }] });
		});

		it("changes a part of a file, and tells the tokens of all calls of the turn", async () => {
			writeFileSync(join(folder(), "a.txt"), "one\ntwo\n");
			const session = await agent.open(folder());
			const { usage } = await session.say("replace");
			expect(readFileSync(join(folder(), "a.txt"), "utf8")).to.equal("one\n2\n");
			expect(server.billed.calls).to.have.length(2);
			expect(usage?.totalTokens).to.equal(totalTokens(server.billed.total));
		});

		it("runs a command: its output in order, its exit code, and the model is told both", async () => {
			const session = await agent.open(folder());
			await session.say("command");
			const [shown] = agent.calls;
			expect(shown).to.deep.include({ kind: "execute", status: "failed", rawOutput: { exitCode: 3 } });
			expect(shown?.rawInput).to.deep.equal({ command: "echo out; echo err >&2; exit 3" });
			expect(shownBy(shown)).to.equal("out\nerr\n\n(exit code 3)");
			const told = server.requests.at(-1)?.items.findLast(({ role }) => role === "tool");
			expect(told?.text).to.equal("out\nerr\n\n(exit code 3)");
		});

		it("shows a plan without asking", async () => {
			const session = await agent.open(folder());
			await session.say("plan");
			expect(agent.updates).to.deep.include({
				sessionUpdate: "plan",
				entries: [
					{ content: "look", status: "in_progress", priority: "high" },
					{ content: "act", status: "pending", priority: "medium" },
				],
			});
			expect([agent.asked, agent.calls]).to.deep.equal([[], []]);
		});

		it("reads, lists and searches without asking", async () => {
			writeFileSync(join(folder(), "a.txt"), "one\ntwo\n");
			const session = await agent.open(folder());
			await session.say("look");
			expect(agent.calls.map((one) => [one.kind, one.status, shownBy(one)])).to.deep.equal([
				["read", "completed", "one\ntwo"],
				["search", "completed", "a.txt"],
				["search", "completed", "a.txt:2:two"],
			]);
			expect(agent.asked).to.deep.equal([]);
		});

		it("keeps the model's token from the commands it runs", async () => {
			const session = await agent.open(folder());
			await session.say("environment");
			expect(shownBy(agent.calls[0])).to.contain("PATH=").and.not.contain("ATELIER_").and.not.contain(server.key);
		});

		it("tells the model what was wrong with its call, and goes on", async () => {
			const session = await agent.open(folder());
			expect((await session.say("wrong")).stopReason).to.equal("end_turn");
			expect(agent.calls.map((one) => [one.status, shownBy(one)])).to.deep.equal([
				["failed", 'The input needs "command", a text'],
				["failed", wire === "anthropic" ? needsPath : "The input is not a JSON object; it may have been cut off"],
			]);
			expect(existsSync(join(folder(), "a.t"))).to.equal(false);
		});

		it("remembers the conversation", async () => {
			const session = await agent.open(folder());
			await session.say("hello");
			await session.say("hello again");
			expect(server.requests.at(-1)?.items.map(({ role, text }) => [role, text])).to.deep.equal([
				["user", "hello"],
				["assistant", "hello"],
				["user", "hello again"],
			]);
		});
	});
}
