/**
 * The real programs of coding agents, with a scripted model that bills. Every row of the table of agents is a test,
 * and the table is printed at the end.
 */
import { AgentPlatform } from "../../support/agents/agent-platform.ts";
import { installTestedAgents, testedAgents } from "../../support/agents/proven-agents.ts";
import { agentChecks } from "../../agents/agent-checks.ts";
import { script } from "../../agents/agent-stage.ts";
import { AgentsTable } from "../../agents/agents-table.ts";
import { describeChecks } from "../../agents/described-checks.ts";

describe("coding agents", function () {
	this.timeout(300_000);
	let testbed: AgentPlatform;
	const table = new AgentsTable(
		"seen",
		agentChecks.map(({ row }) => row),
	);

	before(installTestedAgents);

	before(async () => {
		testbed = await AgentPlatform.open(
			testedAgents.map(({ id }) => id),
			script,
		);
	});

	after(async () => {
		await testbed?.[Symbol.asyncDispose]();
		console.log(`\n${table.text()}\n`);
		if (process.env["ATELIER_RECORD_AGENTS"]) table.keep();
	});

	describeChecks(testedAgents, { checks: agentChecks, table, testbed: () => testbed });
});
