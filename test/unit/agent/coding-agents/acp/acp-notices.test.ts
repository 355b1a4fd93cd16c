import { expect } from "chai";
import { readNotice } from "#agent/coding-agents/acp/acp-notices.ts";

const commands = (availableCommands: unknown) =>
	readNotice({ sessionUpdate: "available_commands_update", availableCommands });

describe("readNotice()", () => {
	it("reads commands, without those that have no name to type", () => {
		const said = [
			{ name: "init", description: "Begins" },
			{ name: "bare" },
			{ name: "" },
			{ description: "x" },
			"text",
			{ name: "x".repeat(101) },
		];
		expect(commands(said)).to.deep.equal({
			type: "commands",
			commands: [
				{ name: "init", description: "Begins" },
				{ name: "bare", description: "" },
			],
		});
		expect(commands("none")).to.deep.equal({ type: "commands", commands: [] });
	});

	it("bounds what an agent says", () => {
		const said = Array.from({ length: 600 }, (_, n) => ({ name: `c${n}`, description: "x".repeat(600) }));
		const notice = commands(said);
		if (notice?.type !== "commands") expect.fail("these are commands");
		expect(notice.commands).to.have.length(500);
		expect(notice.commands[0]?.description).to.have.length(500);
	});

	it("reads the use of the context if both numbers are valid", () => {
		expect(readNotice({ sessionUpdate: "usage_update", used: 5, size: 10 })).to.deep.equal({
			type: "context",
			used: 5,
			size: 10,
		});
		for (const [used, size] of [
			[-1, 10],
			[1.5, 10],
			["5", 10],
			[5, undefined],
		])
			expect(readNotice({ sessionUpdate: "usage_update", used, size })).to.equal(undefined);
	});

	it("reads a notice about trouble as a warning, and no other notice", () => {
		const notice = (severity: unknown, title?: unknown, description?: unknown) =>
			readNotice({ sessionUpdate: "notice", severity, title, description });
		expect(notice("warning", "No tools")).to.deep.equal({ type: "warning", sentence: "No tools" });
		expect(notice("error", "No tools", "spawn x")).to.deep.equal({ type: "warning", sentence: "No tools: spawn x" });
		expect(notice("warning", "x".repeat(600))).to.deep.equal({ type: "warning", sentence: "x".repeat(500) });
		for (const other of [notice("info", "Done"), notice("warning"), notice("warning", 7), notice(undefined, "x")])
			expect(other).to.equal(undefined);
	});

	it("ignores other updates", () => {
		for (const sessionUpdate of ["agent_message_chunk", undefined, 7])
			expect(readNotice({ sessionUpdate })).to.equal(undefined);
	});
});
