/** The memory of the built-in agent: across its own end, and beyond the window of its model. */
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { BuiltinAgent } from "../../../support/agents/builtin-agent.ts";
import { eventually } from "../../../support/eventually.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import type { Item } from "../../../support/model-server/model-request.ts";
import { edit, say, shell, turns } from "../../../support/model-server/script.ts";
import { useFolder } from "../../../support/use-folder.ts";

const script = turns({
	hello: [say("hello", { thought: "hm" })],
	change: [edit("a.txt", "a\n"), say("changed")],
	stay: [edit("b.txt", "b\n"), shell("echo $$ > pid; exec sleep 300"), say("never")],
});

async function pidOf(file: string): Promise<number> {
	return Number(await eventually(() => readFileSync(file, "utf8").trim() || undefined));
}

describe("a session of the built-in agent after kill -9", function () {
	// The test starts several processes one after the other.
	this.timeout(30_000);
	const folder = useFolder();
	const state = useFolder();
	let server: ModelServer;
	beforeEach(async () => (server = await ModelServer.listen({ script })));
	afterEach(() => server[Symbol.asyncDispose]());

	function start(): BuiltinAgent {
		return new BuiltinAgent({ server, env: { ATELIER_AGENT_STATE: state() } });
	}

	/** Sends all messages, and kills the agent in the middle of the last turn. @returns the session's id. */
	async function killedAfter(...messages: string[]): Promise<string> {
		await using agent = start();
		const session = await agent.open(folder());
		for (const message of messages) await session.say(message);
		const turn = session.say("stay").catch(() => "gone");
		const command = await pidOf(join(folder(), "pid"));
		await agent.kill();
		await turn;
		// The sweep does this in a pod.
		process.kill(command, "SIGKILL");
		return session.id;
	}

	it("is shown again and goes on in a new process, where open calls are closed", async () => {
		const id = await killedAfter("hello", "change");
		await using agent = start();
		expect((await agent.initialize()).agentCapabilities?.loadSession).to.equal(true);
		const session = await agent.load(folder(), id);
		expect(agent.updates.map(({ sessionUpdate }) => sessionUpdate)).to.deep.equal([
			"user_message_chunk",
			"agent_thought_chunk",
			"agent_message_chunk",
			"user_message_chunk",
			"tool_call",
			"agent_message_chunk",
			"user_message_chunk",
			"tool_call",
		]);
		expect(agent.calls.map(({ title, status }) => [title, status])).to.deep.equal([
			["Create a.txt", "completed"],
			["Create b.txt", "completed"],
		]);
		expect((await session.say("hello")).stopReason).to.equal("end_turn");
		const items: Item[] = server.requests.at(-1)?.items ?? [];
		expect(items.filter(({ role }) => role === "user").map(({ text }) => text)).to.deep.equal([
			"hello",
			"change",
			"stay",
			"hello",
		]);
		expect(items.filter(({ role }) => role === "tool").map(({ text }) => text)).to.deep.equal([
			"Created a.txt",
			"Created b.txt",
			"The agent was interrupted during this call; whether it took effect is not known",
		]);
	});

	it("is loaded although its last line was incomplete, and can be loaded again after another loss", async () => {
		const id = await killedAfter("hello");
		const [file = ""] = readdirSync(state());
		appendFileSync(join(state(), file), '{"type":"message","mess');
		{
			await using agent = start();
			const session = await agent.load(folder(), id);
			await session.say("hello again");
			await agent.kill();
		}
		await using agent = start();
		const session = await agent.load(folder(), id);
		await session.say("hello");
		const said = server.requests.at(-1)?.items.filter(({ role }) => role === "user");
		expect(said?.map(({ text }) => text)).to.deep.equal(["hello", "stay", "hello again", "hello"]);
	});

	for (const id of ["00000000-0000-4000-8000-000000000000", "../../escape", ""]) {
		it(`is not loaded when there is none ("${id}")`, async () => {
			await using agent = start();
			const failure = await agent.load(folder(), id).catch((error: unknown) => error);
			expect(failure).to.be.instanceOf(Error).with.property("message").that.contains(`There is no session "${id}"`);
		});
	}

	it("ends with the process if there is no folder for it", async () => {
		await using agent = new BuiltinAgent({ server });
		expect((await agent.initialize()).agentCapabilities?.loadSession ?? false).to.equal(false);
	});
});

describe("a conversation of the built-in agent that gets longer than its model reads", function () {
	this.timeout(30_000);
	const folder = useFolder();
	const state = useFolder();
	const window = 8_000;
	let isSummaryRefused: boolean;
	let server: ModelServer;
	let agent: BuiltinAgent;
	beforeEach(async () => {
		isSummaryRefused = false;
		const steps = turns({
			flood: [shell("yes 0123456789 | head -c 20000"), say("flooded")],
			fact: [say("noted")],
			question: [say("answered")],
		});
		server = await ModelServer.listen({
			async script(request) {
				// The tokens are counted as a provider would, so the limit is real.
				const input = Math.ceil(JSON.stringify(request.body).length / 4);
				if (input > window) {
					return { fault: { kind: "status", status: 400, message: `maximum context length is ${window} tokens` } };
				}
				const usage = { input, output: 10, cache_read: 0, cache_write: 0 };
				if (request.tools.length > 0) return { ...(await steps(request)), usage };
				return isSummaryRefused
					? { fault: { kind: "status", status: 400 } }
					: { text: "SUMMARY: the word is xyzzy", usage };
			},
		});
		const env = { ATELIER_MODEL_CONTEXT: String(window), ATELIER_AGENT_STATE: state() };
		agent = new BuiltinAgent({ server, env });
	});
	afterEach(async () => {
		await agent[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
		expect(server.problems).to.deep.equal([]);
	});

	async function flooded() {
		const session = await agent.open(folder());
		await session.say("fact: the word is xyzzy");
		for (let turn = 0; turn < 8; turn++) expect((await session.say(`flood ${turn}`)).stopReason).to.equal("end_turn");
		return session;
	}

	it("is summarised by the model, and stays so after a restart", async () => {
		const session = await flooded();
		expect((await session.say("question")).stopReason).to.equal("end_turn");
		const refused = server.billed.calls.filter(({ end }) => end === "refused");
		expect(refused, "never longer than the window").to.deep.equal([]);
		const [first] = server.requests.at(-1)?.items ?? [];
		expect(first?.text).to.match(/^\(The conversation so far became too long[^]*SUMMARY: the word is xyzzy/);
		const gauge = agent.updates.findLast((update) => update.sessionUpdate === "usage_update");
		expect(gauge?.used).to.be.within(1, window);
		const notices = agent.updates.filter((update) => update.sessionUpdate === "notice");
		expect(notices.map((notice) => ("title" in notice ? notice.title : ""))).to.include(
			"The older part of the conversation was summarised for the model",
		);
		await agent.kill();
		await using again = new BuiltinAgent({
			server,
			env: { ATELIER_MODEL_CONTEXT: String(window), ATELIER_AGENT_STATE: state() },
		});
		const loaded = await again.load(folder(), session.id);
		expect(again.calls).to.have.length(8);
		await loaded.say("question");
		expect(server.requests.at(-1)?.items[0]?.text).to.contain("SUMMARY: the word is xyzzy");
	});

	it("drops its older part with a notice when the model gives no summary", async () => {
		isSummaryRefused = true;
		const session = await flooded();
		expect((await session.say("question")).stopReason).to.equal("end_turn");
		const [first] = server.requests.at(-1)?.items ?? [];
		expect(first?.text).to.contain("No summary could be made; what was said before is lost.");
		const notices = agent.updates.filter((update) => update.sessionUpdate === "notice");
		expect(notices.map((notice) => ("title" in notice ? notice.title : ""))).to.include(
			"The older part of the conversation was dropped for the model",
		);
	});

	it("is shortened when the provider says that it is too long", async () => {
		const session = await agent.open(folder());
		for (const message of ["flood", "flood again"]) await session.say(message);
		server.failNext({ kind: "status", status: 400, message: "This model's maximum context length is 10 tokens" });
		expect((await session.say("question")).stopReason).to.equal("end_turn");
		expect(server.requests.at(-1)?.items[0]?.text).to.contain("SUMMARY");
	});
});
