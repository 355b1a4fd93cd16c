import { expect } from "chai";
import fc from "fast-check";
import { readPermission } from "#agent/coding-agents/acp/acp-permissions.ts";

const option = { optionId: "allow", name: "Allow", kind: "allow_once" };

describe("readPermission()", () => {
	it("reads the request and its options", () => {
		const call = { kind: "execute", title: "ls", rawInput: { command: "ls" } };
		expect(readPermission(call, [option])).to.deep.equal({
			tool: "execute",
			title: "ls",
			input: { command: "ls" },
			options: [{ option_id: "allow", name: "Allow", kind: "allow_once" }],
			choice: false,
		});
	});

	it("shows changes and texts if the agent reports no input", () => {
		const content = [
			{ type: "diff", path: "a", newText: "new" },
			{ type: "content", content: { type: "text", text: "one" } },
			{ type: "content", content: { type: "text", text: "two" } },
		];
		for (const rawInput of [undefined, {}, "x"])
			expect(readPermission({ rawInput, content }, []).input).to.deep.equal({
				changes: [{ path: "a", old_text: "", new_text: "new" }],
				content: "one\ntwo",
			});
	});

	it("leaves out options that cannot be chosen", () => {
		const odd = [
			{ ...option, optionId: "" },
			{ ...option, optionId: 7 },
			{ ...option, optionId: "x".repeat(101) },
			"x",
		];
		expect(readPermission({}, [...odd, { optionId: "bare" }]).options).to.deep.equal([
			{ option_id: "bare", name: "bare", kind: "" },
		]);
		expect(
			readPermission(
				{},
				Array.from({ length: 40 }, () => option),
			).options,
		).to.have.length(32);
		expect(readPermission({}, undefined)).to.deep.equal({
			tool: "other",
			title: "a tool call",
			input: {},
			options: [],
			choice: false,
		});
	});

	it("says how long a text is that it cuts", () => {
		const { input } = readPermission({ rawInput: { command: "x".repeat(5_000) } }, []);
		expect(input["command"]).to.equal(`${"x".repeat(4_000)}… (5000 characters)`);
	});

	it("is small enough to be shown, with any content", () => {
		const text = fc.integer({ min: 0, max: 9_000 }).map((length) => "é".repeat(length));
		const input = fc.dictionary(fc.string(), fc.oneof(text, fc.array(text, { maxLength: 4 })), { maxKeys: 6 });
		fc.assert(
			fc.property(input, text, (rawInput, title) => {
				const read = readPermission({ rawInput, title, kind: title }, [{ ...option, name: title }]);
				expect(Buffer.byteLength(JSON.stringify(read))).to.be.at.most(16_384 + 2_000);
			}),
			{ numRuns: 50 },
		);
	});
});
