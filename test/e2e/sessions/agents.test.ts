/**
 * The real programs of coding agents, with a scripted model that bills. Every row of the table of agents is a test,
 * and the table is printed at the end.
 */
import { AssertionError } from "chai";
import { AgentPlatform } from "../../support/agents/agent-platform.ts";
import { installTestedAgents, testedAgents } from "../../support/agents/proven-agents.ts";
import type { AgentCheck } from "../../agents/agent-check.ts";
import { agentChecks } from "../../agents/agent-checks.ts";
import { AgentStage, script } from "../../agents/agent-stage.ts";
import { AgentsTable } from "../../agents/agents-table.ts";

describe("coding agents", function () {
	this.timeout(300_000);
	let testbed: AgentPlatform;
	const table = new AgentsTable(agentChecks.map(({ row }) => row));

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

	for (const agent of testedAgents) {
		describe(agent.id, () => {
			let stage: AgentStage;

			before(() => {
				stage = new AgentStage(agent, testbed);
			});
			after(() => stage?.[Symbol.asyncDispose]());

			for (const check of agentChecks) {
				const { row, applies, isPromised } = check;
				const show = (cell: string): void => table.set(agent.id, row, cell);
				if (applies?.(agent) === false) show("none");
				else if (isPromised?.(agent) === false)
					it(`${row}: not this one`, async () => {
						await expectFailure(check, stage);
						show("–");
					});
				else
					it(row, async () => {
						show("FAILED");
						const cell = await check.run(stage).catch(async (error: unknown) => {
							await stage.settle();
							throw error;
						});
						show(cell ?? "+");
					});
			}
		});
	}
});

/** @throws {Error} when the agent does something that its record says it does not, or fails in another way. */
async function expectFailure(check: AgentCheck, stage: AgentStage): Promise<void> {
	const failure = await check.run(stage).then(
		() => undefined,
		(error: unknown) => error,
	);
	if (failure === undefined) throw new Error("It does: its record says otherwise");
	if (!(failure instanceof AssertionError)) throw failure;
}
