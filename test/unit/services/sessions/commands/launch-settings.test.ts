import { expect } from "chai";
import { launchSettings } from "#services/sessions/commands/launch-settings.ts";
import { resolveSource } from "#services/sessions/commands/session-source.ts";
import type { SessionCreate } from "#shared/contracts/session-resource.ts";
import { sessionCreateFields } from "#shared/contracts/session-resource.ts";
import { type Template, template as templateFields } from "#shared/contracts/templates.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import type { Schema } from "#shared/bus/schema.ts";
import type { LaunchSettings } from "#shared/pod/launch.ts";
import { UnprocessableError } from "#shared/errors.ts";

/** Settings with every default, as they are read from a request or a file. */
function completed<T>(fields: Schema, value: object): T {
	const copy: object = structuredClone(value);
	expect(compileSchema(fields)(copy)).to.deep.equal([]);
	return copy as T;
}

function settings(request: object, template?: object): LaunchSettings {
	const read = completed<SessionCreate>(sessionCreateFields, { name: "s", ...request });
	const blueprint = template && completed<Template>(templateFields, { name: "t", ...template });
	return launchSettings(read, resolveSource(read, blueprint, ["https"]), blueprint, ["https"]);
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
});
