import { expect } from "chai";
import { launchSettings } from "#services/sessions/commands/launch-settings.ts";
import { type Blueprints, mergedRequest } from "#services/sessions/commands/launch-levels/merged-request.ts";
import { resolveSource } from "#services/sessions/workspace-sources/session-source.ts";
import { profileCreate } from "#shared/contracts/blueprints/profiles.ts";
import { template as templateFields } from "#shared/contracts/templates.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { completed } from "../../../../support/completed.ts";
import { sessionCreate } from "../../../../support/platform/session-record.ts";

function merged(request: object, blueprints: Blueprints): LaunchSettings {
	const order = mergedRequest({ ...sessionCreate(request), name: "s" }, blueprints);
	return launchSettings(order.request, resolveSource(order.request, order.level, ["https"]), order.level, {
		protocols: ["https"],
	});
}

function settings(request: object, template?: object): LaunchSettings {
	return merged(request, template ? { template: completed(templateFields, { name: "t", ...template }) } : {});
}

describe("launchSettings()", () => {
	it("prefers the agent of the request to the template's, and that to the built-in one", () => {
		const template = { workload_config: { agent: "opencode" } };
		expect(settings({}).agent).to.equal("builtin");
		expect(settings({}, {}).agent).to.equal("builtin");
		expect(settings({}, template).agent).to.equal("opencode");
		expect(settings({ agent: "" }, template).agent).to.equal("opencode");
		expect(settings({ agent: "gemini" }, template).agent).to.equal("gemini");
	});

	it("refuses an agent without a record by its name, from a request or a template", () => {
		const words = /^There is no coding agent "skynet"; known: builtin, claude, /;
		expect(() => settings({ agent: "skynet" })).to.throw(UnprocessableError, words);
		expect(() => settings({}, { workload_config: { agent: "skynet" } })).to.throw(UnprocessableError, words);
		expect(() => settings({}, { workload_config: { agent: 7 } })).to.throw(UnprocessableError, /coding agent "7"/);
		expect(() => settings({ agent: "../builtin" })).to.throw(UnprocessableError);
	});

	it("completes the MCP servers of a template", () => {
		const mcp_servers = [
			{ name: "files", command: "node", args: ["x.js"], env: { A: "1" }, unknown: true },
			{ name: "web", type: "streamable-http", url: "https://mcp.example/x", headers: { H: "2" } },
		];
		expect(settings({}, { mcp_servers }).mcp_servers).to.deep.equal([
			{ name: "files", type: "stdio", command: "node", args: ["x.js"], env: { A: "1" }, url: "", headers: {} },
			{ name: "web", type: "http", command: "", args: [], env: {}, url: "https://mcp.example/x", headers: { H: "2" } },
		]);
	});

	const wrong: [server: object, words: RegExp][] = [
		[{ name: "x", type: "stdio" }, /^Template "t", MCP server "x": `command` is missing$/],
		[{ name: "x" }, /`command` is missing$/],
		[
			{ name: "x", type: "sse", url: "http://h/" },
			/MCP server "x": type "sse" is not supported; allowed: stdio, http$/,
		],
		[{ name: "x", type: "http", url: "ftp://h/" }, /`url` has to be an http or https URL$/],
		[{ command: "node" }, /^Template "t", MCP server 1: name: /],
		[{ name: "x", command: "node", env: { A: 1 } }, /MCP server "x": env/],
	];
	for (const [server, words] of wrong) {
		it(`refuses the MCP server ${JSON.stringify(server)}`, () => {
			expect(() => settings({}, { mcp_servers: [server] })).to.throw(UnprocessableError, words);
		});
	}

	it("refuses settings that are together too large for a message of the bus", () => {
		const large = "ü".repeat(100_000);
		const env_vars = { A: "x".repeat(60_000) };
		const profile = completed(profileCreate, { name: "p", system_prompt: large, env_vars });
		const one = { ...profile, model: null, system_prompt: large };
		expect(merged({ initial_prompt: large }, { profile: one }).system_prompt).to.equal(large);
		const template = completed(templateFields, { name: "t", setup_scripts: ["x".repeat(400_000)] });
		expect(() => merged({ initial_prompt: large }, { profile: one, template })).to.throw(
			UnprocessableError,
			/together are too large: \d+ bytes, at most 786432$/,
		);
	});
});
