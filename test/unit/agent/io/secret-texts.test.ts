import { expect } from "chai";
import { secretTexts } from "#agent/io/secret-texts.ts";

describe("secretTexts()", () => {
	it("has every value, line by line, also those of MCP servers and passwords of git as they are typed", () => {
		const texts = secretTexts({
			variables: { A: "variable" },
			files: [{ root: "home", path: "f", content: "-----BEGIN KEY-----\nline\n" }],
			git_credentials: ["https://me:pass%2Fword@git.example"],
			mcp_servers: [{ name: "m", command: "c", args: ["x"], env: { T: "of a server" } }],
		});
		expect(texts.filter(Boolean)).to.have.members(["variable", "line", "pass%2Fword", "pass/word", "of a server"]);
		expect(secretTexts({ variables: {}, files: [], git_credentials: [] })).to.deep.equal([]);
	});
});
