import { expect } from "chai";
import { sessionWarnings } from "#services/sessions/commands/session-warnings.ts";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { unaskedActions } from "#shared/wire/agents/unasked-actions.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { McpServer } from "#shared/wire/pod/launch.ts";
import { launchSettings } from "../../../../support/pods/memory-pods.ts";
import { sessionCreate } from "../../../../support/platform/session-record.ts";

const server: McpServer = { name: "x", type: "stdio", command: "x", args: [], env: {}, url: "", headers: {} };

describe("sessionWarnings()", () => {
	const ignored: [member: string, request: Partial<SessionCreate>][] = [
		["terminal_restricted", { terminal_restricted: true }],
	];
	for (const [member, request] of ignored) {
		it(`says that ${member} has no effect`, () => {
			const warnings = sessionWarnings(sessionCreate(request), launchSettings, undefined);
			expect(warnings.map((warning) => warning.split(":")[0])).to.deep.equal([member]);
		});
	}

	it("names the requested resources that have no effect", () => {
		const resource_config = { cpu: 2, memory: "4Gi", gpu: "1", disks: "9" };
		expect(sessionWarnings(sessionCreate(), { ...launchSettings, resource_config }, undefined)).to.deep.equal([
			"resource_config.gpu: only sessions in a cluster have a GPU of their own",
			"resource_config.disks: it is not known, and has no effect",
		]);
	});

	it("has no warning for a request that takes full effect", () => {
		expect(sessionWarnings(sessionCreate({ name: "a", model: "m" }), launchSettings, undefined)).to.deep.equal([]);
	});

	it("names the placeholders of its prompts that nobody filled", () => {
		const prompts = {
			system_prompt: "Work on {{area}} and {{area}}.",
			initial_prompt: "Look at {{ branch }}, {{ticket}}.",
		};
		expect(sessionWarnings(sessionCreate(), { ...launchSettings, ...prompts }, undefined)).to.deep.equal([
			"system_prompt: the placeholder {{area}} was not filled",
			"initial_prompt: the placeholders {{branch}}, {{ticket}} were not filled",
		]);
	});

	it("names an agent's unasked actions only if the person wants to be asked", () => {
		const agents = [...readAgentRecords().values()];
		for (const mcp_servers of [[], [server]])
			for (const agent of agents) {
				const warnings = (permission_mode: "ask" | "auto") =>
					sessionWarnings(sessionCreate(), { ...launchSettings, permission_mode, mcp_servers }, agent);
				const unasked = unaskedActions(agent, mcp_servers.length > 0);
				expect(warnings("ask")).to.deep.equal(unasked.map((sentence) => `permission_mode: ${sentence}`));
				expect(warnings("auto")).to.deep.equal([]);
			}
		expect(agents.flatMap((agent) => unaskedActions(agent, true))).not.to.deep.equal([]);
	});
});
