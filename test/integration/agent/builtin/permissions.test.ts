/** The permissions of the built-in agent: asked, refused, remembered, and never outside of its folder. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { BuiltinAgent, shownBy } from "../../../support/agents/builtin-agent.ts";
import { ModelServer } from "../../../support/model-server/model-server.ts";
import { call, edit, say, shell, turns } from "../../../support/model-server/script.ts";
import { useFolder } from "../../../support/use-folder.ts";

describe("the built-in agent's permissions", () => {
	const folder = useFolder();
	let answer: string;
	let server: ModelServer;
	let agent: BuiltinAgent;
	beforeEach(async () => {
		answer = "allow_once";
		const outside = join(folder(), "../escaped.txt");
		const script = turns({
			change: [edit("notes.txt", "new\n"), say("ended")],
			command: [shell("touch ran"), say("ended")],
			twice: [
				shell("touch ran"),
				shell("touch ran"),
				shell("touch other"),
				edit("a", "a"),
				edit("b", "b"),
				say("ended"),
			],
			escape: [
				edit("../escaped.txt", "x"),
				edit(outside, "x"),
				edit("link/escaped.txt", "x"),
				edit("dangling", "x"),
				call("read_file", { path: "secret" }),
				call("list_files", { path: "link" }),
				call("search_files", { pattern: "root", path: "/etc" }),
				say("ended"),
			],
			within: [edit(join(folder(), "workspace/sub/./a.txt"), "x"), call("read_file", { path: "inner" }), say("ended")],
		});
		server = await ModelServer.listen({ script });
		agent = new BuiltinAgent({ server, permit: () => answer });
	});
	afterEach(async () => {
		await agent[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
		expect(server.problems).to.deep.equal([]);
	});

	for (const [message, file, what] of [
		["change", "notes.txt", "edit"],
		["command", "ran", "execute"],
	] as const) {
		it(`does not run a refused call (${what}), tells the model, and goes on`, async () => {
			answer = "reject_once";
			const session = await agent.open(folder());
			expect((await session.say(message)).stopReason).to.equal("end_turn");
			expect(existsSync(join(folder(), file))).to.equal(false);
			expect(agent.calls[0]).to.deep.include({ kind: what, status: "failed" });
			expect(server.requests.at(-1)?.items.at(-1)?.text).to.match(/^The user did not permit this/);
			expect(agent.text).to.equal("ended");
			answer = "allow_once";
			await session.say(message);
			expect(existsSync(join(folder(), file)), "control").to.equal(true);
		});
	}

	it("ends the turn when the client cancels instead of answering", async () => {
		answer = "cancelled";
		const session = await agent.open(folder());
		expect((await session.say("change")).stopReason).to.equal("cancelled");
		expect(existsSync(join(folder(), "notes.txt"))).to.equal(false);
	});

	it("asks once for what is permitted always: one command, or changes to files", async () => {
		answer = "allow_always";
		const session = await agent.open(folder());
		await session.say("twice");
		expect(agent.asked.map(({ toolCall }) => toolCall.title)).to.deep.equal(["touch ran", "touch other", "Create a"]);
		expect(existsSync(join(folder(), "b"))).to.equal(true);
		const other = await agent.open(folder());
		await other.say("command");
		expect(agent.asked, "another session").to.have.length(4);
	});

	it("asks each time for what is permitted once", async () => {
		const session = await agent.open(folder());
		await session.say("twice");
		expect(agent.asked).to.have.length(5);
	});

	it("asks nobody in the mode auto, and refuses modes it does not have", async () => {
		const session = await agent.open(folder());
		await session.setMode("auto");
		await session.say("command");
		expect(agent.asked).to.deep.equal([]);
		expect(existsSync(join(folder(), "ran"))).to.equal(true);
		await session.setMode("ask");
		await session.say("change");
		expect(agent.asked).to.have.length(1);
		const failure = await session.setMode("yolo").catch((error: unknown) => error);
		expect(failure)
			.to.be.instanceOf(Error)
			.with.property("message")
			.that.matches(/no mode "yolo"/);
	});

	it("keeps its file tools inside the folder, whatever leads out of it", async () => {
		const workspace = join(folder(), "workspace");
		mkdirSync(workspace);
		mkdirSync(join(folder(), "elsewhere"));
		writeFileSync(join(folder(), "hidden"), "secret words");
		symlinkSync(join(folder(), "hidden"), join(workspace, "secret"));
		symlinkSync(join(folder(), "elsewhere"), join(workspace, "link"));
		symlinkSync(join(folder(), "elsewhere/new"), join(workspace, "dangling"));
		const session = await agent.open(workspace);
		await session.say("escape");
		expect(agent.calls).to.have.length(7);
		for (const one of agent.calls) {
			expect(one.status).to.equal("failed");
			expect(shownBy(one)).to.contain("is outside of the session's folder");
		}
		expect(agent.asked, "asked").to.deep.equal([]);
		for (const path of ["escaped.txt", "../escaped.txt", "elsewhere/escaped.txt", "elsewhere/new"]) {
			expect(existsSync(join(folder(), path)), path).to.equal(false);
		}
	});

	it("takes absolute paths and links that stay inside", async () => {
		const workspace = join(folder(), "workspace");
		mkdirSync(workspace);
		writeFileSync(join(workspace, "real"), "words");
		symlinkSync("real", join(workspace, "inner"));
		const session = await agent.open(workspace);
		await session.say("within");
		expect(agent.calls.map(({ status }) => status)).to.deep.equal(["completed", "completed"]);
		expect(readFileSync(join(workspace, "sub/a.txt"), "utf8")).to.equal("x");
		expect(shownBy(agent.calls[1])).to.equal("words");
	});
});
