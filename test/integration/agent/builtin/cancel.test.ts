/** Turns of the built-in agent that are cancelled or exceed their limits leave nothing behind. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { BuiltinAgent, shownBy } from "../../../support/agents/builtin-agent.ts";
import { eventually } from "../../../support/eventually.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { call, edit, say, shell, turns } from "../../../support/model-server/script.ts";
import { processFile } from "../../../support/machine/process-file.ts";
import { useFolder } from "../../../support/use-folder.ts";

/** The promised time; a busy machine gets three times as long. */
const cancelMs = 300;

/** Starts a process group with a child; both ignore requests to end. */
const stubborn = "trap '' TERM; echo $$ > pids; (trap '' TERM; echo $BASHPID >> pids; sleep 300) & wait; sleep 300";

describe("a turn of the built-in agent", () => {
	const folder = useFolder();
	let server: ModelServer;
	let agent: BuiltinAgent;
	let permitted: PromiseWithResolvers<string>;
	beforeEach(async () => {
		permitted = Promise.withResolvers();
		const endless = Array.from({ length: 101 }, (_, n) => call("list_files", { pattern: `${n}` }));
		const script = turns({
			slow: [say("a b c d e f g h i j", { fault: { kind: "slow", everyMs: 500 } })],
			silent: [say("never", { fault: { kind: "stall" } })],
			stubborn: [shell(stubborn), say("after")],
			question: [edit("a.txt", "a"), say("after")],
			pair: [
				() => ({
					calls: [
						{ name: "bash", args: { command: "sleep 300" } },
						{ name: "bash", args: { command: "touch later" } },
					],
				}),
				say("after"),
			],
			limit: [() => ({ calls: [{ name: "bash", args: { command: stubborn, timeout_seconds: 1 } }] }), say("after")],
			flood: [shell("yes 0123456789 | head -c 3000000; echo end"), say("after")],
			long: [
				call("read_file", { path: "long.txt" }),
				call("read_file", { path: "long.txt", offset: 2_001 }),
				say("after"),
			],
			endless,
			hello: [say("hello")],
		});
		server = await ModelServer.listen({ script });
		agent = new BuiltinAgent({
			server,
			permit: ({ toolCall }) => (toolCall.title?.includes("a.txt") ? permitted.promise : "allow_once"),
		});
	});
	afterEach(async () => {
		permitted.resolve("cancelled");
		await agent[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});

	const moments: [message: string, when: string, isThere: () => boolean][] = [
		["slow", "in the middle of an answer", () => agent.text !== ""],
		["silent", "while the model says nothing", () => server.requests.length === 1],
		["stubborn", "while a command runs that does not want to end", () => pids().length === 2],
		["question", "while a permission is asked", () => agent.asked.length === 1],
	];
	for (const [message, when, isThere] of moments) {
		it(`is over within ${cancelMs} ms of its cancellation, ${when}, and the next one works`, async () => {
			const session = await agent.open(folder());
			const turn = session.say(message);
			await eventually(isThere);
			const since = performance.now();
			await session.cancel();
			expect((await turn).stopReason).to.equal("cancelled");
			const ms = Math.round(performance.now() - since);
			console.log(`      cancelled after ${ms} ms`);
			expect(ms).to.be.below(3 * cancelMs);
			expect((await session.say("hello")).stopReason).to.equal("end_turn");
			expect(agent.text).to.match(/hello$/);
		});
	}

	it("leaves no process of a cancelled command, even of one that ignores SIGTERM", async () => {
		const session = await agent.open(folder());
		const turn = session.say("stubborn");
		const started = await eventually(() => pids().length === 2 && pids());
		expect(started.every(isAlive), "control").to.equal(true);
		await session.cancel();
		await turn;
		await eventually(() => !started.some(isAlive), { withinMs: 3 * cancelMs });
	});

	it("does not begin the calls after the cancelled one, and tells the model about all of them", async () => {
		const session = await agent.open(folder());
		const turn = session.say("pair");
		await eventually(() => agent.calls[0]?.status === "in_progress");
		await session.cancel();
		await turn;
		expect((await session.say("hello")).stopReason).to.equal("end_turn");
		expect(existsSync(join(folder(), "later"))).to.equal(false);
		const told = server.requests.at(-1)?.items.filter(({ role }) => role === "tool") ?? [];
		expect(told).to.have.length(2);
		expect(told[1]?.text).to.equal("Cancelled by the user");
	});

	it("goes on after a command that exceeded its time limit, and leaves no process of it", async () => {
		const session = await agent.open(folder());
		expect((await session.say("limit")).stopReason).to.equal("end_turn");
		expect(shownBy(agent.calls[0])).to.match(/\(Ended after 1 s, exit code \d+\)$/);
		await eventually(() => !pids().some(isAlive), { withinMs: 3 * cancelMs });
	});

	it("keeps the beginning and the end of too much output, for the model and for people", async () => {
		const session = await agent.open(folder());
		await session.say("flood");
		const told = server.requests.at(-1)?.items.findLast(({ role }) => role === "tool")?.text ?? "";
		for (const text of [told, shownBy(agent.calls[0])]) {
			expect(text.split("characters left out")).to.have.length(2);
			expect(text.length).to.be.within(30_000, 33_500);
			expect(text).to.match(/^0123456789\n[^]*characters left out[^]*end\n$/);
		}
		const streamed = agent.updates.map((update) => JSON.stringify(update).length);
		expect(Math.max(...streamed)).to.be.below(80_000);
	});

	it("reads a long file in parts", async () => {
		writeFileSync(join(folder(), "long.txt"), Array.from({ length: 2_500 }, (_, n) => `line ${n + 1}\n`).join(""));
		const session = await agent.open(folder());
		await session.say("long");
		const [first = "", second = ""] = agent.calls.map(shownBy);
		expect(first).to.match(/^line 1\n[^]*\nline 2000\n\(Lines 1 to 2000 of 2500; go on with offset 2001\)$/);
		expect(second).to.match(/^line 2001\n[^]*\nline 2500\n\(Lines 2001 to 2500 of 2500\)$/);
	});

	it("ends after a hundred calls of the model", async function () {
		this.timeout(30_000);
		const session = await agent.open(folder());
		expect((await session.say("endless")).stopReason).to.equal("max_turn_requests");
		expect(server.requests).to.have.length(100);
	});

	it("ends with the end of input, with everything it started", async () => {
		const session = await agent.open(folder());
		const turn = session.say("stubborn").catch(() => "gone");
		const started = await eventually(() => pids().length === 2 && pids());
		expect(await agent.end()).to.equal(0);
		await turn;
		await eventually(() => !started.some(isAlive), { withinMs: 3 * cancelMs });
	});

	function pids(): number[] {
		const file = join(folder(), "pids");
		return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
	}
});

/** A process counts as gone when it is a zombie that nobody has waited for. */
function isAlive(pid: number): boolean {
	return /^State:\s+[^ZX]/m.test(processFile(pid, "status"));
}
