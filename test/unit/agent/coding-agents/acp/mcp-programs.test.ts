import { expect } from "chai";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programsFound } from "#agent/coding-agents/acp/mcp-programs.ts";
import type { McpServer } from "#shared/wire/pod/launch.ts";
import { useFolder } from "../../../../support/use-folder.ts";

const none: McpServer = { name: "s", type: "stdio", command: "", args: [], env: {}, url: "", headers: {} };

describe("programsFound()", () => {
	const folder = useFolder();

	async function isFound(server: Partial<McpServer>, path = "/usr/bin:/bin"): Promise<boolean> {
		const { found, missing } = await programsFound([{ ...none, ...server }], { folder: folder(), path });
		expect(found.length + missing.length).to.equal(1);
		return found.length === 1;
	}

	it("finds programs in the PATH of the server, or else of the agent, and files by their path", async () => {
		writeFileSync(join(folder(), "tool"), "#!/bin/sh\n");
		expect(await isFound({ command: "./tool" }), "not executable").to.equal(false);
		chmodSync(join(folder(), "tool"), 0o700);
		for (const command of ["sh", "/bin/sh", "./tool"]) expect(await isFound({ command }), command).to.equal(true);
		expect(await isFound({ command: "tool" })).to.equal(false);
		expect(await isFound({ command: "tool", env: { PATH: folder() } })).to.equal(true);
		expect(await isFound({ command: "sh" }, "")).to.equal(false);
		expect(await isFound({ type: "http", url: "https://a.example" })).to.equal(true);
	});

	it("says which server is left out, and what to do", async () => {
		const place = { folder: folder(), path: "/bin" };
		expect((await programsFound([{ ...none, name: "web", command: "no-such" }], place)).missing).to.deep.equal([
			'The MCP server "web" is left out: the session has no program "no-such"; correct its command, or install the program',
		]);
	});
});
