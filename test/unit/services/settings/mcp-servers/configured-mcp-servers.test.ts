import { expect } from "chai";
import { ConfiguredMcpServers } from "#services/settings/mcp-servers/configured-mcp-servers.ts";
import type { Principal } from "#shared/base/principal.ts";
import { ConfigError } from "#shared/config/config.ts";
import { type McpServerFields, mcpServerFields } from "#shared/config/fields/mcp-server-fields.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { completed } from "../../../../support/completed.ts";

const secret = "s3cret";
const user: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
const admin: Principal = { ...user, roles: ["admin"] };
const operator: Principal = { ...admin, tenant: "default" };

function stdio(name: string): McpServerFields {
	return completed(mcpServerFields, { name, type: "stdio", command: "npx", env: { KEY: secret } });
}

function http(name: string): McpServerFields {
	const url = `https://user:${secret}@mcp.example/x`;
	return completed(mcpServerFields, { name, type: "http", url, headers: { Authorization: secret } });
}

describe("ConfiguredMcpServers", () => {
	const servers = new ConfiguredMcpServers([stdio("files"), http("web")], "default");

	it("show operators everything, and null for what a server does not have", () => {
		expect(servers.one(operator, "files")).to.deep.equal({
			name: "files",
			type: "stdio",
			command: "npx",
			url: null,
			args: [],
			description: "",
			env: { KEY: secret },
			headers: {},
		});
		expect(servers.one(operator, "web")).to.include({ command: null, url: `https://user:${secret}@mcp.example/x` });
	});

	it("show everybody else the names of variables and headers, and no value, administrators of a tenant included", () => {
		expect(servers.seenBy(admin)).to.deep.equal(servers.seenBy(user));
		const seen = servers.seenBy(user);
		expect(seen.map(({ name }) => name)).to.deep.equal(["files", "web"]);
		expect(JSON.stringify([seen, servers.one(user, "web")])).not.to.include(secret);
		expect(seen[0]?.env).to.deep.equal({ KEY: "***" });
		expect(seen[1]?.headers).to.deep.equal({ Authorization: "***" });
	});

	it("do not know another name", () => {
		expect(() => servers.one(admin, "other")).to.throw(NotFoundError, 'MCP server "other" does not exist');
	});

	for (const [mistake, list] of Object.entries({
		'two servers with the name "a"': [stdio("a"), http("a")],
		'"a" has the type "stdio" and lacks "command"': [completed(mcpServerFields, { name: "a", type: "stdio" })],
		'"a" has the type "sse" and lacks "url"': [completed(mcpServerFields, { name: "a", type: "sse", command: "npx" })],
	})) {
		it(`end the start for a list with this mistake: ${mistake}`, () => {
			expect(() => new ConfiguredMcpServers(list, "default")).to.throw(ConfigError, mistake);
		});
	}
});
