/** The agents that tests are run against, and their installation. */
import type { WrittenAgent } from "#shared/agents/agent-fields.ts";
import { readAgentRecords } from "#shared/agents/agent-records.ts";
import { installAgents } from "./install-agents.ts";

/** `ATELIER_TEST_AGENTS=kimi,codex` tries others than the proven ones. */
const chosen = process.env["ATELIER_TEST_AGENTS"]?.split(",");

export const testedAgents: readonly WrittenAgent[] = [...readAgentRecords().values()].filter(
	({ id, proven }) => chosen?.includes(id) ?? proven,
);

/** As a `before` hook. Where they cannot be installed it fails in CI, and skips with the reason elsewhere. */
export async function installTestedAgents(this: Mocha.Context): Promise<void> {
	const wanted = testedAgents.filter(({ install }) => install).map(({ id }) => id);
	try {
		if (wanted.length > 0) await installAgents(wanted);
	} catch (error) {
		if (process.env["CI"]) throw error;
		console.log(String(error));
		this.skip();
	}
}
