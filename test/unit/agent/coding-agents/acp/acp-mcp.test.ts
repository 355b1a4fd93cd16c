import { expect } from "chai";
import { type McpSupport, mcpServersOf, splitMcpServers } from "#agent/coding-agents/acp/acp-mcp.ts";
import type { McpServer } from "#shared/wire/pod/launch.ts";

const none = { command: "", args: [], env: {}, url: "", headers: {} };
const stdio: McpServer = { ...none, name: "files", type: "stdio", command: "node", args: ["x.js"], env: { A: "1" } };
const http: McpServer = { ...none, name: "web", type: "http", url: "https://mcp.example/x", headers: { H: "2" } };

describe("splitMcpServers()", () => {
	const table: [support: McpSupport, offersHttp: boolean, taken: string[]][] = [
		["both", true, ["files", "web"]],
		["both", false, ["files"]],
		["stdio", true, ["files"]],
		["http", true, ["web"]],
		["http", false, []],
		["none", true, []],
	];
	for (const [support, offered, names] of table) {
		it(`gives ${names.join(" and ") || "nothing"} to an agent of ${support} that offers ${offered ? "" : "no "}HTTP`, () => {
			const { taken, unusable } = splitMcpServers([stdio, http], support, { mcpCapabilities: { http: offered } });
			expect(taken.map((server) => Object.entries(server).find(([key]) => key === "name")?.[1])).to.deep.equal(names);
			const others = [stdio, http].filter(({ name }) => !names.includes(name));
			expect(unusable).to.deep.equal(others.map(({ name, type }) => `${name} (${type})`));
		});
	}

	it("writes servers in the form of the protocol", () => {
		expect(splitMcpServers([stdio, http], "both", { mcpCapabilities: { http: true } }).taken).to.deep.equal([
			{ name: "files", command: "node", args: ["x.js"], env: [{ name: "A", value: "1" }] },
			{ type: "http", name: "web", url: "https://mcp.example/x", headers: [{ name: "H", value: "2" }] },
		]);
	});

	it("assumes no HTTP of an agent that does not mention it", () => {
		for (const capabilities of [{}, { mcpCapabilities: null }, { mcpCapabilities: { http: "yes" } }])
			expect(splitMcpServers([http], "both", capabilities)).to.deep.equal({ taken: [], unusable: ["web (http)"] });
	});
});

describe("mcpServersOf()", () => {
	it("adds the servers of connections, which replace those of their names", () => {
		const own = { name: "files", command: "npx", args: ["-y"], env: { TOKEN: "x" } };
		const secrets = { variables: {}, files: [], git_credentials: [], warnings: [], mcp_servers: [own] };
		expect(mcpServersOf({ mcp_servers: [stdio, http], secrets })).to.deep.equal([
			http,
			{ ...own, type: "stdio", url: "", headers: {} },
		]);
		expect(mcpServersOf({ mcp_servers: [stdio, http] })).to.deep.equal([stdio, http]);
	});
});
