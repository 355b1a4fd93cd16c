import { expect } from "chai";
import { readAgentRecord } from "#shared/wire/agents/agent-records.ts";
import { unaskedActions } from "#shared/wire/agents/unasked-actions.ts";

describe("unaskedActions()", () => {
	const unasked = (id: string, hasMcp = true): string[] => unaskedActions(readAgentRecord(id), hasMcp);

	it("are those that the agent's record names", () => {
		expect(unasked("kimi")).to.deep.equal(["Kimi Code changes files without asking"]);
		expect(unasked("codex")).to.deep.equal([
			"Codex runs commands in a sandbox of its own without asking, and asks for what that forbids",
		]);
		for (const id of ["builtin", "claude", "gemini", "qwen"]) expect(unasked(id), id).to.deep.equal([]);
	});

	it("include MCP servers only if there are some and the agent supports them", () => {
		expect(unasked("opencode")).to.deep.equal(["opencode calls MCP tools without asking"]);
		expect(unasked("opencode", false)).to.deep.equal([]);
		expect(unaskedActions({ title: "X", asks: ["files", "commands"], mcp: "none" }, true)).to.deep.equal([]);
	});
});
