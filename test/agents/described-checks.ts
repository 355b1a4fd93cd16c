/** Makes a test of each check and agent, and keeps the results in a table. */
import { AssertionError } from "chai";
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import type { AgentPlatform } from "../support/agents/agent-platform.ts";
import type { AgentCheck } from "./agent-check.ts";
import { AgentStage } from "./agent-stage.ts";
import type { AgentsTable } from "./agents-table.ts";

interface CheckedAgents {
	readonly checks: readonly AgentCheck[];
	readonly table: AgentsTable;
	/** Returns the platform, which a hook has opened. */
	readonly testbed: () => AgentPlatform;
}

export function describeChecks(agents: readonly WrittenAgent[], { checks, table, testbed }: CheckedAgents): void {
	for (const agent of agents) {
		describe(agent.id, () => {
			let stage: AgentStage;

			before(() => {
				stage = new AgentStage(agent, testbed());
			});
			after(() => stage?.[Symbol.asyncDispose]());

			for (const check of checks) {
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
}

/** @throws {Error} when the agent does something that its record says it does not, or fails in another way. */
async function expectFailure(check: AgentCheck, stage: AgentStage): Promise<void> {
	const failure = await check.run(stage).then(
		() => undefined,
		(error: unknown) => error,
	);
	if (failure === undefined) throw new Error("It does: its record says otherwise");
	if (!(failure instanceof AssertionError)) throw failure;
}
