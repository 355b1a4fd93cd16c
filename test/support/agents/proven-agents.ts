/** The agents that tests are run against, and their installation. Needs: agents. */
import type { WrittenAgent } from "#shared/agents/agent-fields.ts";
import { readAgentRecords } from "#shared/agents/agent-records.ts";
import { installAgents } from "./install-agents.ts";

/** In every run of the tests: those that are installed, start and fail soonest. `npm run test:all` leaves out none. */
const inEveryRun = ["builtin", "gemini", "kimi"];

const records = [...readAgentRecords().values()];
const asked = process.env["ATELIER_TEST_AGENTS"] || inEveryRun.join(",");
const chosen = asked === "all" ? records.map(({ id }) => id) : asked.split(",");
const unknown = chosen.find((id) => !records.some((record) => record.id === id));
if (unknown !== undefined) throw new RangeError(`ATELIER_TEST_AGENTS: there is no coding agent "${unknown}"`);

/** `ATELIER_TEST_AGENTS` chooses others, e.g. `kimi,codex`, or `all`. */
export const testedAgents: readonly WrittenAgent[] = records.filter(({ id }) => chosen.includes(id));
/** Ids of those that are not tried. */
export const leftOutAgents: readonly string[] = records.map(({ id }) => id).filter((id) => !chosen.includes(id));

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
