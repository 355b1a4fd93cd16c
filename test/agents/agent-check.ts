/** A check that every coding agent has to pass under the platform: one row of the table of agents. */
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import type { AgentStage } from "./agent-stage.ts";

export interface AgentCheck {
	/** The title of the row. */
	readonly row: string;
	/** Whether the agent has what the check needs, by its record; it is not tried otherwise. The default is always. */
	readonly applies?: (agent: WrittenAgent) => boolean;
	/**
	 * Whether the agent passes, by its record; otherwise it has to fail, so that the record is known to be true. The
	 * default is always.
	 */
	readonly isPromised?: (agent: WrittenAgent) => boolean;
	/** Runs the check after the earlier ones. Resolves with a text that the row shows instead of `+`. */
	readonly run: (stage: AgentStage) => Promise<string | void>;
}

export function seconds(sinceMs: number): string {
	return `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
}
