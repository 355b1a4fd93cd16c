import { expect } from "chai";
import { readPermission } from "#agent/coding-agents/acp/acp-permissions.ts";
import { AcpToolCalls } from "#agent/coding-agents/acp/acp-tool-calls.ts";

const diff = { type: "diff", path: "/ws/a.txt", oldText: "old", newText: "new" };
const announced = { sessionUpdate: "tool_call", toolCallId: "t" };
const updated = { sessionUpdate: "tool_call_update", toolCallId: "t" };

describe("AcpToolCalls", () => {
	let calls: AcpToolCalls;
	beforeEach(() => {
		calls = new AcpToolCalls();
	});

	const asked = (toolCall: object) =>
		readPermission(calls.asked({ toolCall: { toolCallId: "t", ...toolCall } }).call, []);

	it("shows a person what was reported before about the call", () => {
		calls.updated({ ...announced, title: "Running: echo ran", kind: "execute", rawInput: { command: "echo ran" } });
		expect(asked({ title: "Bash", rawInput: {} })).to.deep.include({
			tool: "execute",
			title: "Running: echo ran",
			input: { command: "echo ran" },
		});
	});

	it("shows the changes of a call without input, reported before or with the request", () => {
		const input = { changes: [{ path: "/ws/a.txt", old_text: "old", new_text: "new" }] };
		expect(asked({ title: "Edit files", content: [diff] }).input).to.deep.equal(input);
		calls.updated({ ...announced, toolCallId: "u", title: "Edit", content: [diff] });
		expect(readPermission(calls.asked({ toolCall: { toolCallId: "u" } }).call, []).input).to.deep.equal(input);
		const text = [{ type: "content", content: { type: "text", text: "ping" } }];
		expect(asked({ toolCallId: "v", content: text }).input).to.deep.equal({ content: "ping" });
	});

	it("shows the arguments that were reported as a text before the request's own text", () => {
		const texts = (text: string) => [{ type: "content", content: { type: "text", text } }];
		calls.updated({ ...announced, title: "mcp__near__echo", content: texts('{"text":"ping-near"}') });
		const request = texts("Requesting approval to Approve mcp__near__echo");
		expect(asked({ content: request }).input).to.deep.equal({
			content: '{"text":"ping-near"}\nRequesting approval to Approve mcp__near__echo',
		});
		expect(asked({ content: texts('{"text":"ping-near"}') }).input["content"]).to.match(/^.*ping-near.*$/);
	});

	it("shows a call that is announced by a request only, and nothing twice", () => {
		const { news } = calls.asked({ toolCall: { toolCallId: "t", title: "Shell", rawInput: { command: "make" } } });
		expect(news).to.deep.include({ title: "Shell", command: "make", status: "pending" });
		expect(calls.answered("t", true)).to.deep.equal({ type: "tool", id: "t", status: "in_progress" });
		const update = { ...announced, toolCallId: "u", title: "Write", kind: "edit", status: "pending" };
		calls.updated(update);
		expect(calls.asked({ toolCall: update }).news).to.equal(undefined);
		expect(calls.answered("u", true)).to.equal(undefined);
	});

	it("shows a change as planned, and then as made", () => {
		const planned = calls.updated({ ...announced, status: "pending", content: [diff] });
		expect(planned).to.deep.include({ output: "Change to /ws/a.txt" });
		const done = calls.updated({ ...updated, status: "completed" });
		expect(done).to.deep.include({ status: "completed", output: "Changed /ws/a.txt" });
	});

	it("never shows a refused change as made, whatever the agent reports", () => {
		calls.updated({ ...announced, status: "pending", content: [diff] });
		asked({});
		expect(calls.answered("t", false)).to.deep.include({ status: "failed", output: "Did not change /ws/a.txt" });
		const claimed = calls.updated({ ...updated, status: "completed", content: [diff] });
		expect(claimed).to.deep.include({ status: "failed", output: "Did not change /ws/a.txt" });
	});

	it("treats a call that is asked for again as it is answered last", () => {
		asked({});
		calls.answered("t", false);
		asked({ status: "pending" });
		expect(calls.answered("t", true)).to.deep.include({ status: "in_progress" });
		expect(calls.updated({ ...updated, status: "completed", content: [diff] })).to.deep.include({
			status: "completed",
			output: "Changed /ws/a.txt",
		});
	});

	it("shows a command that an interrupt ended as failed, whatever the agent reports", () => {
		calls.updated({ ...announced, title: "make", kind: "execute", status: "completed" });
		calls.updated({ ...announced, toolCallId: "u", title: "sleep 60", kind: "execute", status: "in_progress" });
		calls.updated({ ...announced, toolCallId: "v", title: "Edit", kind: "edit", status: "in_progress" });
		expect(calls.cutCommands()).to.not.equal(undefined);
		expect(calls.updated({ ...updated, status: "completed" })).to.deep.include({ id: "t", status: "completed" });
		expect(calls.updated({ ...updated, toolCallId: "u", status: "completed" })).to.deep.include({ status: "failed" });
		expect(calls.updated({ ...updated, toolCallId: "v", status: "completed" })).to.deep.include({
			status: "completed",
		});
	});

	it("ends open calls at the end of a turn", () => {
		calls.updated({ ...announced, status: "in_progress" });
		calls.updated({ ...announced, toolCallId: "over", status: "completed" });
		expect([...calls.closed(true)]).to.deep.equal([{ type: "tool", id: "t", status: "failed" }]);
		expect([...calls.closed(false)]).to.deep.equal([]);
	});

	it("keeps other updates as they are, and remembers no more than 256 calls", () => {
		const text = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } };
		expect(calls.updated(text)).to.deep.equal({ type: "text", text: "hi" });
		for (let n = 0; n < 300; n++) calls.updated({ ...announced, toolCallId: `c${n}`, status: "pending" });
		expect([...calls.closed(false)]).to.have.length(256);
	});
});
