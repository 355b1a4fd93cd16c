/** One thing that every coding agent is expected to do under the platform: a row of the table of agents. */
import type { WrittenAgent } from "#shared/agents/agent-fields.ts";
import type { AgentStage } from "./agent-stage.ts";

export interface AgentCheck {
	/** Title of the row. */
	readonly row: string;
	/** Whether the agent has what it takes, by its record; it is not tried where not. Default always. */
	readonly applies?: (agent: WrittenAgent) => boolean;
	/** Whether it does it, by its record; where not it has to fail, so that the record is known to be true. Default always. */
	readonly isPromised?: (agent: WrittenAgent) => boolean;
	/** Does it, on what earlier checks have left. Resolves with what the row shows instead of `+`. */
	readonly run: (stage: AgentStage) => Promise<string | void>;
}

export function seconds(sinceMs: number): string {
	return `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
}
