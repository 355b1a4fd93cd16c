import { expect } from "chai";
import { FrameError, readCommand, splitFrame } from "#agent/server/chat-commands.ts";

describe("splitFrame()", () => {
	it("reads one object, also over several lines, or one a line", () => {
		expect(splitFrame('{"a":\n1}')).to.deep.equal([{ a: 1 }]);
		expect(splitFrame('{"a":1}\n\n{"b":2}\n')).to.deep.equal([{ a: 1 }, { b: 2 }]);
	});

	it("refuses lines that are no object, and too many lines", () => {
		for (const text of ["", " \n", "[]", "1", "{", '{"a":1}\n[]', "{}\n".repeat(65), "\n".repeat(1_000_000)]) {
			expect(() => splitFrame(text), JSON.stringify(text.slice(0, 20))).to.throw(FrameError);
		}
		expect(splitFrame("{}\n".repeat(63))).to.have.length(63);
	});
});

describe("readCommand()", () => {
	it("treats a frame without a type as a message, whose id may be absent", () => {
		expect(readCommand({ content: "hello" })).to.deep.equal({ type: "user", id: undefined, content: "hello" });
		const blocks = [
			{ type: "text", text: "one" },
			{ type: "text", text: "two" },
		];
		expect(readCommand({ type: "user", id: "m1", content: blocks })).to.include({ id: "m1", content: "one\ntwo" });
	});

	it("refuses content that it cannot pass to the agent", () => {
		const picture = [{ type: "text", text: "look" }, { type: "image" }];
		expect(() => readCommand({ content: picture })).to.throw(FrameError, 'a block of type "image" is not');
		for (const type of ["set_max_thinking_tokens", "rewind_files", "mcp_set_servers"]) {
			expect(() => readCommand({ type }), type).to.throw(FrameError, /cannot be/);
		}
	});

	it("refuses invalid frames", () => {
		const wrong = [
			{ content: " " },
			{ content: 1 },
			{ type: "user" },
			{ id: 7, content: "x" },
			{ id: "x".repeat(101), content: "x" },
			{ type: "permission_response", behavior: "allow" },
			{ type: "permission_response", request_id: "r", behavior: "yes" },
			{ type: "set_model" },
			{ type: "set_permission_mode", mode: "bypassPermissions" },
		];
		for (const frame of wrong) expect(() => readCommand(frame), JSON.stringify(frame)).to.throw(FrameError);
	});

	it("takes a frame of any other type for a message if it has content, and ignores it otherwise", () => {
		for (const type of ["chat", "constructor", "__proto__", 7, null]) {
			expect(readCommand({ type, content: "what now" })).to.include({ type: "user", content: "what now" });
			expect(readCommand({ type })).to.equal(undefined);
		}
	});

	it("reads the others", () => {
		expect(readCommand({ type: "interrupt" })).to.deep.equal({ type: "interrupt" });
		expect(readCommand({ type: "set_model", model: "m" })).to.deep.equal({ type: "set_model", model: "m" });
		const answer = { type: "permission_response", request_id: "r", behavior: "deny", updated_input: { a: 1 } };
		expect(readCommand(answer)).to.deep.equal({
			type: "permission_response",
			request_id: "r",
			behavior: "deny",
			option_id: undefined,
			input: { a: 1 },
		});
	});
});
