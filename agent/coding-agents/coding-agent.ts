/** Port: a coding agent, one running process that answers one message at a time. */
import type { PermissionMode } from "#shared/contracts/session-resource.ts";

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

/** Takes the place of the plan before it. */
export interface PlanUpdate {
	type: "plan";
	entries: PlanEntry[];
}

export interface PlanEntry {
	content: string;
	/** `pending`, `in_progress`, `completed`, as the agent says. */
	status: string;
	/** `high`, `medium`, `low`, as the agent says. */
	priority: string;
}

export type AgentUpdate = { type: "text" | "reasoning"; text: string } | ToolUpdate | PlanUpdate;

/** What it says at any time, beside its answers; takes the place of what it said before. */
export type AgentNotice =
	| { type: "commands"; commands: { name: string; description: string }[] }
	/** Tokens of its context: how many there are, and how many there can be. */
	| { type: "context"; used: number; size: number };

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
	/** For the turns to come. @throws {Error} with a sentence when it offers no such choice. */
	setModel(model: string): Promise<void>;
	/** Makes it ask as much as the mode needs. @throws {Error} with a sentence when it cannot. */
	setPermissionMode(mode: PermissionMode): Promise<void>;
	/** Resolves with the reason of the turn's end: `end_turn`, `cancelled`, … @throws {AgentLostError}, {Error} with the agent's own words. */
	prompt(text: string, onUpdate: (update: AgentUpdate) => void): Promise<string>;
	/** Ends the turn under way soon, if need be by ending the agent. */
	cancel(): void;
	/** Resolves when its process has ended; at most 6 s. */
	close(): Promise<void>;
}
