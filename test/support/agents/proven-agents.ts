/** The agents that tests run with, and their installation. Needs: agents. */
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { installAgents } from "./install-agents.ts";

/** The agents of every test run, which install, start and fail fastest. `npm run test:all` uses all agents. */
const inEveryRun = ["builtin", "gemini", "kimi"];

const records = [...readAgentRecords().values()];
const asked = process.env["ATELIER_TEST_AGENTS"] || inEveryRun.join(",");
const chosen = asked === "all" ? records.map(({ id }) => id) : asked.split(",");
const unknown = chosen.find((id) => !records.some((record) => record.id === id));
if (unknown !== undefined) throw new RangeError(`ATELIER_TEST_AGENTS: there is no coding agent "${unknown}"`);

/** The agents of this run; `ATELIER_TEST_AGENTS` selects others, e.g. `kimi,codex`, or `all`. */
export const testedAgents: readonly WrittenAgent[] = records.filter(({ id }) => chosen.includes(id));
/** The ids of agents that this run omits. */
export const leftOutAgents: readonly string[] = records.map(({ id }) => id).filter((id) => !chosen.includes(id));

/**
 * Installs the agents as a `before` hook. When that is impossible, it fails in CI and skips with the reason elsewhere.
 */
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
