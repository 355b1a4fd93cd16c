/** A person is asked before something happens, sees what it is, and decides. */
import { expect } from "chai";
import { patience } from "../../support/machine/patience.ts";
import { eventually } from "../../support/eventually.ts";
import { call, edit, repeatResult, say, shell, type Step } from "../../support/model-server/script.ts";
import { type AgentCheck, seconds } from "../agent-check.ts";
import type { StagedSession } from "../staged-session.ts";

const command = "echo asked > asked.txt";
const heededMs = 15_000;

/** The requests as a person saw them, as JSON, without the options. @param count The number of earlier requests. */
function shownSince({ talk }: StagedSession, count: number): string[] {
	return talk.asked.slice(count).map(({ title, input }) => JSON.stringify({ title, input }));
}

/** Calls a server's tool; if the tool is not offered, the model says so. */
function greetBy(server: "nearby" | "remote"): Step {
	const greet = call(new RegExp(`${server}.*greet`), { name: "Ada" });
	return (request) => {
		try {
			return greet(request);
		} catch (error) {
			return { text: String(error) };
		}
	};
}

function usesServer(name: "nearby" | "remote"): AgentCheck["run"] {
	return async (stage) => {
		const session = await stage.asking();
		const steps = [greetBy(name), repeatResult];
		let { content } = await session.does(name, steps);
		if (content.includes("offered:") && (await session.log()).includes("failed to start")) {
			// The agent qwen drops a server that it has not reached in some seconds on a busy machine, until its next start.
			await session.stop();
			await session.start();
			({ content } = await session.does(`again-${name}`, steps));
		}
		expect(content).to.include("Good day, Ada");
		if (name === "remote") expect(stage.testbed.mcp.keys).to.include("mcp-key");
	};
}

export const sandboxRow = "runs a command in its own sandbox unasked, which reads and does not write";

export const permissionChecks: readonly AgentCheck[] = [
	{
		row: "asks before it writes a file, and shows the change",
		isPromised: ({ asks }) => asks.includes("files"),
		async run(stage) {
			const session = await stage.asking();
			await session.does("FILE", [edit(session.file("shown.txt"), "what a person sees\n"), say("Written.")]);
			expect(session.contentOf("shown.txt")).to.equal("what a person sees");
			expect(String(shownSince(session, 0)))
				.to.include("shown.txt")
				.and.to.include("what a person sees");
		},
	},
	{
		row: "asks before it runs a command, and shows it",
		isPromised: ({ asks }) => asks.includes("commands"),
		async run(stage) {
			const session = await stage.asking();
			const before = session.talk.asked.length;
			await session.does("COMMAND", [shell(command), say("It ran.")]);
			expect(session.contentOf("asked.txt")).to.equal("asked");
			expect(String(shownSince(session, before))).to.include(command);
		},
	},
	{
		row: "writes no file when refused",
		isPromised: ({ asks }) => asks.includes("files"),
		async run(stage) {
			const session = await stage.asking();
			const before = session.talk.asked.length;
			await session.does("NOFILE", [edit(session.file("refused.txt"), "never"), say("So I leave it.")], "deny");
			expect(session.talk.asked.slice(before).map(({ behavior }) => behavior)).to.deep.equal(["deny"]);
			expect(session.contentOf("refused.txt")).to.equal("");
		},
	},
	{
		row: "runs no command when refused",
		isPromised: ({ asks }) => asks.includes("commands"),
		async run(stage) {
			const session = await stage.asking();
			const before = session.talk.asked.length;
			await session.does("NOCOMMAND", [shell("echo never > never.txt"), say("So I leave it.")], "deny");
			expect(session.talk.asked.slice(before).map(({ behavior }) => behavior)).to.deep.equal(["deny"]);
			expect(session.contentOf("never.txt")).to.equal("");
		},
	},
	{
		row: sandboxRow,
		applies: ({ id }) => id === "codex",
		async run(stage) {
			const session = await stage.asking();
			const before = session.talk.asked.length;
			const command = "cat shown.txt; echo no > sandboxed.txt";
			const { content } = await session.does("SANDBOX", [call("exec_command", { cmd: command }), repeatResult]);
			expect(content).to.include("what a person sees").and.to.include("Read-only file system");
			expect(session.talk.asked).to.have.lengthOf(before);
			expect(session.contentOf("sandboxed.txt")).to.equal("");
		},
	},
	{
		row: "MCP over stdio",
		applies: ({ mcp }) => mcp === "both" || mcp === "stdio",
		run: usesServer("nearby"),
	},
	{ row: "MCP over HTTP", applies: ({ mcp }) => mcp === "both" || mcp === "http", run: usesServer("remote") },
	{
		row: "asks before it uses an MCP tool, and names server and tool",
		applies: ({ mcp }) => mcp !== "none",
		isPromised: ({ asks }) => asks.includes("mcp_tools"),
		async run(stage) {
			const session = await stage.asking();
			const server = stage.agent.mcp === "http" ? "remote" : "nearby";
			const shown = shownSince(session, 0).filter((one) => one.includes("greet"));
			expect(String(shown), JSON.stringify(session.talk.asked)).to.include(server);
		},
	},
	{
		row: "interrupt while a person is asked: `cancelled`",
		async run(stage) {
			const session = await stage.asking();
			const message = await session.begins("UNDECIDED", [shell("echo undecided > undecided.txt"), say("Never said.")]);
			const isAsked = async (): Promise<boolean> => (await session.talk.waiting()).length > 0;
			await eventually(isAsked, { withinMs: 60_000, what: "a person is asked" });
			const since = performance.now();
			expect((await session.api.post(`${session.path}/interrupt`)).status).to.equal(200);
			const { metadata } = await session.talk.answer(message, "deny");
			const taken = seconds(since);
			expect(metadata["stop_reason"]).to.equal("cancelled");
			expect(performance.now() - since).to.be.below(heededMs * patience());
			expect(await session.talk.waiting()).to.deep.equal([]);
			expect(session.contentOf("undecided.txt")).to.equal("");
			return taken;
		},
	},
];
