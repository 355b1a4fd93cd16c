/** The chat of a real pod: the frames in both directions. */
import { once } from "node:events";
import { expect } from "chai";
import { confirmationsPath } from "#shared/wire/pod/frames.ts";
import { WebSocket } from "ws";
import { askingTree } from "../../support/agents/asking-tree.ts";
import { eventually } from "../../support/eventually.ts";
import { TestConnection, TestSession } from "../../support/pods/test-pod.ts";

/** Removes the members that belong to one connection only. */
function shared({ frames }: TestConnection): unknown[] {
	return frames.filter(
		({ type }) => !["system", "available_commands", "context", "mode", "conversation_history"].includes(type),
	);
}

describe("the chat of a pod", function () {
	this.timeout(60_000);

	it("sends all clients the same: the message, the answer as it is streamed, its end", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start({ permission_mode: "ask" });
		const [one, other] = await Promise.all([pod.connect(), pod.connect()]);
		one.say({ content: "plan first\nsay hello\nwrite a.txt a" });
		const { request_id, tool, input } = await other.frame("control_request");
		expect([tool, input]).to.deep.equal(["edit", { path: "a.txt", text: "a" }]);
		other.say({ type: "permission_response", request_id, behavior: "allow", updated_input: input });
		const result = await one.frame("result");
		await other.frame("result");
		expect(shared(one)).to.deep.equal(shared(other));
		expect(shared(one).map((frame) => (frame as { type: string }).type)).to.deep.equal([
			"user_confirmed",
			"message_start",
			"plan",
			"content_block_start",
			"content_block_delta",
			"content_block_stop",
			"content_block_start",
			"control_request",
			"permission_answered",
			"content_block_stop",
			"user",
			"content_block_start",
			"content_block_delta",
			"content_block_stop",
			"message_stop",
			"assistant",
			"result",
		]);
		const { turns } = await pod.history();
		expect(turns.map(({ id }) => id)).to.deep.equal([one.all("user_confirmed")[0]?.id, result["turn_id"]]);
	});

	it("brings a client that connects late to the state of the others", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start({ permission_mode: "ask" });
		const first = await pod.connect();
		await pod.ask("say done");
		first.say({ content: "say under way\nwrite a.txt a" });
		await first.frame("control_request");
		const late = await pod.connect();
		await late.frame("control_request");
		const told = late.frames.map(({ type }) => type);
		expect(told.slice(0, 2)).to.deep.equal(["system", "conversation_history"]);
		// The states come in the order in which the agent has told them first.
		expect(told.slice(2, 5)).to.have.members(["available_commands", "context", "mode"]);
		expect(told.slice(5)).to.deep.equal([
			"message_start",
			"content_block_start",
			"content_block_start",
			"control_request",
		]);
		expect((await late.frame("conversation_history")).turns.map(({ content }) => content)).to.include.members([
			"say done",
			"done",
		]);
		expect(late.frames[6]).to.have.nested.property("content_block.text", "under way");
		const { slash_commands } = await late.frame("available_commands");
		expect(slash_commands).to.deep.equal(["compact"]);
	});

	it("answers an unsupported request to the client that made it", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start();
		const [one, other] = await Promise.all([pod.connect(), pod.connect()]);
		one.say({ type: "set_model", model: "large" });
		one.say({ type: "rewind_files" });
		one.say({ type: "permission_response", request_id: "?", behavior: "allow" });
		one.say({ type: "user", id: "picture", content: [{ type: "image", source: {} }] });
		await eventually(() => one.all("error").length === 4);
		const said = new Map(one.all("error").map(({ content, id }) => [content, id]));
		expect([...said.keys()]).to.have.members([
			"The coding agent does not let its model be changed",
			"Files cannot be rewound; the diff shows what has changed",
			'There is no request "?" for a permission',
			'The agent takes text; a block of type "image" is not',
		]);
		expect(said.get('The agent takes text; a block of type "image" is not')).to.equal("picture");
		expect(other.all("error")).to.deep.equal([]);
	});

	it("refuses a changed input of a tool", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start({ permission_mode: "ask" });
		const client = await pod.connect();
		client.say({ content: "write a.txt a" });
		const { request_id, input } = await client.frame("control_request");
		const changed = { ...input, text: "b" };
		client.say({ type: "permission_response", request_id, behavior: "allow", updated_input: changed });
		expect((await client.frame("error")).content).to.include("cannot be changed");
		expect(client.all("permission_answered")).to.deep.equal([]);
		client.say({ type: "permission_response", request_id, behavior: "deny", updated_input: changed });
		expect((await client.frame("permission_answered")).option_id).to.equal("reject_once");
	});

	it("accepts several frames in one message, up to a limit", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start();
		const client = await pod.connect();
		const lines = ["one", "two"].map((id) => JSON.stringify({ type: "user", id, content: `say ${id}` }));
		client.socket.send(`${lines.join("\n")}\n`);
		expect((await pod.answer("two")).content).to.equal("two");
		client.socket.send("{}\n".repeat(100));
		expect((await client.frame("error")).content).to.equal("A frame may have 64 lines");
	});

	it("interrupts for a client, and answers with the result", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start();
		const client = await pod.connect();
		client.say({ content: "hang" });
		await client.frame("message_start");
		client.say({ type: "interrupt" });
		expect((await client.frame("interrupted")).status).to.equal("interrupted");
		expect(await client.frame("result")).to.include({ stop_reason: "cancelled", is_error: false });
	});

	it("closes a client that does not read, while the others go on", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start();
		const [slow, quick] = await Promise.all([pod.connect(), pod.connect()]);
		slow.socket.pause();
		// Each message is smaller than the unread bytes that a client may have, so a client that reads is never too slow,
		// even on a busy machine.
		const turns = 15;
		for (let turn = 0; turn < turns; turn++) {
			quick.say({ content: "flood 2000" });
			const result = await eventually(() => quick.all("result")[turn], { withinMs: 20_000 });
			expect(result).to.include({ is_error: false });
		}
		slow.socket.resume();
		await eventually(() => slow.socket.readyState === WebSocket.CLOSED);
		expect(slow.all("result")).to.have.length.below(turns);
		expect(quick.all("content_block_delta")).to.have.length(30_000);
	});

	it("sends a connection for confirmations nothing else", async () => {
		await using session = new TestSession(askingTree());
		const pod = await session.start();
		const headers = { authorization: pod.authorization };
		const quiet = new TestConnection(
			new WebSocket(`${pod.url.replace("http", "ws")}${confirmationsPath}`, { headers }),
		);
		await once(quiet.socket, "open");
		await quiet.send("m1", "say hello");
		await pod.answer("m1");
		await quiet.send("m2", " ");
		expect(quiet.frames.map(({ type }) => type)).to.deep.equal(["user_confirmed", "error"]);
		expect(quiet.frames[0]).to.deep.equal({ type: "user_confirmed", id: "m1" });
	});
});
