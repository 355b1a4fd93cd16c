import { expect } from "chai";
import fc from "fast-check";
import { readTodos, readUpdate } from "#agent/coding-agents/acp/acp-updates.ts";

describe("readUpdate()", () => {
	it("reads text and thoughts", () => {
		const content = { type: "text", text: "hi" } as const;
		expect(readUpdate({ sessionUpdate: "agent_message_chunk", content })).to.deep.equal({ type: "text", text: "hi" });
		expect(readUpdate({ sessionUpdate: "agent_thought_chunk", content })).to.deep.equal({
			type: "reasoning",
			text: "hi",
		});
	});

	it("reads commands as text or words, and exit codes by any name", () => {
		const call = {
			sessionUpdate: "tool_call",
			toolCallId: "t",
			title: "run",
			kind: "execute",
			status: "pending",
		} as const;
		expect(readUpdate({ ...call, rawInput: { command: "ls -l" } })).to.deep.include({
			command: "ls -l",
			status: "pending",
		});
		expect(readUpdate({ ...call, rawInput: { command: ["ls", "-l"] } })).to.deep.include({ command: "ls -l" });
		expect(readUpdate({ ...call, rawInput: null, rawOutput: { exitCode: 3 } })).to.deep.include({ exit_code: 3 });
		expect(readUpdate({ ...call, rawOutput: { exit_code: 0 } })).to.deep.include({ exit_code: 0 });
		expect(readUpdate({ ...call, rawOutput: { metadata: { exit: 7 } } })).to.deep.include({ exit_code: 7 });
		expect(readUpdate({ ...call, rawOutput: { metadata: { exit: null } } })).to.not.have.property("exit_code");
	});

	it("reports only what an update changes", () => {
		const update = { sessionUpdate: "tool_call_update", toolCallId: "t", title: null, status: "completed" } as const;
		expect(readUpdate(update)).to.deep.equal({ type: "tool", id: "t", status: "completed" });
	});

	it("reads output from text, and a change of a file by its path", () => {
		const output = readUpdate({
			sessionUpdate: "tool_call_update",
			toolCallId: "t",
			content: [
				{ type: "content", content: { type: "text", text: "done" } },
				{ type: "diff", path: "/ws/a.txt", oldText: "", newText: "x" },
			],
		});
		expect(output).to.deep.equal({ type: "tool", id: "t", output: "done\nChanged /ws/a.txt" });
	});

	it("ignores updates that are not used", () => {
		expect(readUpdate({ sessionUpdate: "current_mode_update", currentModeId: "ask" })).to.equal(undefined);
		expect(readUpdate({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "x" } })).to.equal(
			undefined,
		);
	});

	it("accepts anything that an agent sends, and keeps texts only", () => {
		const members = ["type", "content", "text", "path", "command", "rawInput", "rawOutput", "toolCallId", "status"];
		const member = fc.constantFrom(...members, "title", "entries", "toString", "valueOf", "exitCode");
		const word = fc.constantFrom("text", "diff", "content", 1, null, true);
		const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
			anything: fc.oneof(
				{ depthSize: "small" },
				word,
				fc.array(tie("anything"), { maxLength: 3 }),
				fc.dictionary(member, tie("anything"), { maxKeys: 4, noNullPrototype: true }),
			),
		}));
		const kind = fc.constantFrom("agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan");
		fc.assert(
			fc.property(kind, fc.dictionary(member, anything, { noNullPrototype: true }), (sessionUpdate, more) => {
				const read = readUpdate({ toolCallId: "t", ...more, sessionUpdate });
				const values = Object.values(read ?? {}).flatMap((value) =>
					Array.isArray(value) ? value.map(Object.values) : value,
				);
				for (const value of values.flat()) expect(typeof value).to.be.oneOf(["string", "number"]);
			}),
			{ numRuns: 20_000 },
		);
	}).timeout(30_000);
});

describe("readTodos()", () => {
	const rawInput = {
		todos: [
			{ content: "Look", status: "completed", priority: "high" },
			{ content: "Mend", status: "pending" },
		],
	};

	it("makes a plan of the list in a tool call", () => {
		for (const sessionUpdate of ["tool_call", "tool_call_update"])
			expect(readTodos({ sessionUpdate, toolCallId: "t", rawInput })).to.deep.equal({
				type: "plan",
				entries: [
					{ content: "Look", status: "completed", priority: "high" },
					{ content: "Mend", status: "pending", priority: "medium" },
				],
			});
	});

	it("leaves other updates and other lists", () => {
		expect(readTodos({ sessionUpdate: "plan", rawInput })).to.equal(undefined);
		for (const input of [undefined, null, "x", {}, { todos: [] }, { todos: "x" }, { todos: [{ content: "Look" }] }])
			expect(readTodos({ sessionUpdate: "tool_call", rawInput: input }), JSON.stringify(input)).to.equal(undefined);
	});
});
