/** Chooses the coding agent of a session: the choice of the first level that has one, by its id. */
import { agentIds } from "#shared/wire/agents/agent-records.ts";
import { UnprocessableError } from "#shared/base/errors.ts";

const defaultAgent = "builtin";

/** The ids of all agents, read once: the records are those at the start of the process. */
let known: readonly string[] | undefined;

/** Returns the id of the agent. @throws {UnprocessableError} naming an agent that has no record. */
export function chosenAgent(wanted: unknown = defaultAgent): string {
	known ??= agentIds();
	const found = known.find((id) => id === wanted);
	if (found !== undefined) return found;
	const name = typeof wanted === "string" ? wanted : JSON.stringify(wanted);
	throw new UnprocessableError(`There is no coding agent "${name}"; known: ${known.join(", ")}`, "AGENT_UNKNOWN");
}
