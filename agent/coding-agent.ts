/** Port: a coding agent, one running process that answers one message at a time. */

/** What a tool call has become; members that did not change may be absent. */
export interface ToolUpdate {
	type: "tool";
	id: string;
	title?: string;
	/** `execute`, `edit`, `read`, `search`, … as the agent says. */
	kind?: string;
	status?: ToolStatus;
	command?: string;
	exit_code?: number;
	/** All of its output so far. */
	output?: string;
}

export const toolStatuses = ["pending", "in_progress", "completed", "failed"] as const;
export type ToolStatus = (typeof toolStatuses)[number];

export type AgentUpdate = { type: "text" | "reasoning"; text: string } | ToolUpdate;

/** The coding agent's process ended while an answer was waited for; the message says how. */
export class AgentLostError extends Error {
	override readonly name = "AgentLostError";
}

export interface CodingAgent {
	/** What it calls itself, e.g. `Shell (no AI)`. */
	readonly title: string;
	/** Resolves with a sentence when its process has ended, asked to or not; never rejects. */
	readonly ended: Promise<string>;
	/** Whether it was ended because it did not heed an interrupt. */
	readonly wasKilled: boolean;
	/** Begins a conversation in a folder. @throws {Error} with the agent's own words. */
	open(folder: string): Promise<void>;
	/** Resolves with the reason of the turn's end: `end_turn`, `cancelled`, … @throws {AgentLostError}, {Error} with the agent's own words. */
	prompt(text: string, onUpdate: (update: AgentUpdate) => void): Promise<string>;
	/** Ends the turn under way soon, if need be by ending the agent. */
	cancel(): void;
	/** Resolves when its process has ended; at most 6 s. */
	close(): Promise<void>;
}
