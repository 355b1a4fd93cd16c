import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { definitionIn } from "#services/integrations/catalogue/definition-file.ts";
import { launchMapping } from "#services/integrations/connection-uses/launch-mapping.ts";
import type { Connection } from "#shared/contracts/integrations/integrations.ts";
import { projectRoot } from "#shared/base/project-root.ts";

function mappingOf(slug: string, config: Record<string, string> = {}, repositories: string[] = []) {
	const read = definitionIn(slug, readFileSync(join(projectRoot, "config/integrations", `${slug}.yaml`), "utf8"));
	if ("fault" in read) throw new Error(read.fault);
	const { integration_type, adapter } = read.definition;
	const times = { created_at: "", updated_at: "" };
	const connection: Connection = {
		id: "1",
		integration_type,
		adapter,
		credential_name: "key",
		config,
		enabled: true,
		slug,
		...times,
	};
	return launchMapping(read.definition, connection, { repositories, names: false });
}

describe("launchMapping()", () => {
	it("has the variables of the definition and of its MCP server", () => {
		expect(mappingOf("github", {}, ["git@github.com:ada/tool"])).to.deep.equal({
			source: 'integration "github"',
			credential_name: "key",
			variables: { GITHUB_PERSONAL_ACCESS_TOKEN: "token" },
			files: {},
			git_hosts: [{ url: "https://github.com", username: "x-access-token", field: "token" }],
			mcp_servers: [
				{
					name: "github",
					command: "npx",
					args: ["-y", "@modelcontextprotocol/server-github@2025.4.8"],
					env: { GITHUB_PERSONAL_ACCESS_TOKEN: "token" },
				},
			],
		});
		expect(mappingOf("openai")?.variables).to.deep.equal({ OPENAI_API_KEY: "api_key" });
	});

	it("has no MCP server for a session that it does not serve, and the rest of the connection", () => {
		const mapping = mappingOf("github", {}, ["https://gitlab.com/ada/tool"]);
		expect(mapping?.mcp_servers).to.deep.equal([]);
		expect(mapping?.variables).to.deep.equal({ GITHUB_PERSONAL_ACCESS_TOKEN: "token" });
	});

	it("is nothing for an integration of which sessions get nothing", () => {
		for (const slug of ["telegram", "jira", "github-issues"]) expect(mappingOf(slug), slug).to.equal(undefined);
	});

	for (const [slug, base_url, host] of [
		["github", "", "https://github.com"],
		["github", "https://api.github.com", "https://github.com"],
		["github", "https://github.acme.example/api/v3", "https://github.acme.example"],
		["github", "https://api.acme.ghe.com/", "https://acme.ghe.com"],
		["gitlab", "", "https://gitlab.com"],
		["gitlab", "https://git.acme.example:8443/gitlab/api/v4", "https://git.acme.example:8443"],
		["gitlab", "https://api.acme.example", "https://api.acme.example"],
		["gitea", "https://gitea.acme.example/", "https://gitea.acme.example"],
	] as const)
		it(`gives the token of ${slug} at "${base_url}" to ${host} and to no other host`, () => {
			expect(mappingOf(slug, { base_url })?.git_hosts.map(({ url }) => url)).to.deep.equal([host]);
		});
});
