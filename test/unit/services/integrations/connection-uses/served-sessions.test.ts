import { expect } from "chai";
import { serves } from "#services/integrations/connection-uses/served-sessions.ts";

const server = { name: "s", command: "s", args: [], env_from_credentials: {} };
const forge = {
	integration_type: "source_control",
	mcp_server: { ...server, host: "github.com", config_key: "base_url" },
} as const;
const tracker = {
	integration_type: "issue_tracker",
	mcp_server: { ...server, host: "linear.app", config_key: "api_url" },
} as const;
const unnamed = { repositories: [], names: false };

describe("serves()", () => {
	for (const [url, served] of [
		["https://github.com/ada/tool.git", true],
		["git@github.com:ada/tool", true],
		["ssh://git@github.com:22/ada/tool", true],
		["https://gitlab.com/ada/github.com", false],
		["https://notgithub.com/ada/tool", false],
		["file:///srv/github.com/tool", false],
	] as const)
		it(`${served ? "is true" : "is false"} for a session with the repository ${url}`, () => {
			expect(serves(forge, {}, { repositories: ["https://a.example/x", url], names: false })).to.equal(served);
		});

	it("is true for a session that names its connections, and for every session of a tracker", () => {
		expect(serves(forge, {}, { repositories: [], names: true })).to.equal(true);
		expect(serves(forge, {}, unnamed)).to.equal(false);
		expect(serves(tracker, {}, unnamed)).to.equal(true);
	});

	it("is false for a connection to another host than the server's own, also when the session names it", () => {
		const session = { repositories: ["https://github.com/ada/tool", "https://github.acme.example/x"], names: true };
		for (const [base_url, served] of [
			["", true],
			["https://api.github.com", true],
			["https://github.acme.example/api/v3", false],
			["https://github.com.acme.example", false],
			["no URL", false],
		] as const)
			expect(serves(forge, { base_url }, session), base_url).to.equal(served);
		expect(serves(tracker, { api_url: "https://linear.acme.example" }, unnamed)).to.equal(false);
	});

	it("is true for a server without a host, and false without a server", () => {
		const anywhere = { ...forge, mcp_server: { ...forge.mcp_server, host: "" } };
		expect(serves(anywhere, { base_url: "https://a.example" }, unnamed)).to.equal(true);
		expect(serves({ integration_type: "ai_provider" }, {}, unnamed)).to.equal(false);
	});
});
