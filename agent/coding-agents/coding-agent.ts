/** The port of coding agents: one running process that answers one message at a time. */
import type { AgentMode } from "#shared/contracts/sessions/session-control.ts";
import type { PermissionMode } from "#shared/contracts/sessions/session-resource.ts";

/** The state of a tool call. Members that did not change may be absent. */
export interface ToolUpdate {
	type: "tool";
	id: string;
	title?: string;
	/** The kind that the agent reports: `execute`, `edit`, `read`, `search`, … */
	kind?: string;
	status?: ToolStatus;
	command?: string;
	exit_code?: number;
	/** The whole output so far. */
	output?: string;
}

export const toolStatuses = ["pending", "in_progress", "completed", "failed"] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/** A plan; it replaces the previous one. */
export interface PlanUpdate {
	type: "plan";
	entries: PlanEntry[];
}

export interface PlanEntry {
	content: string;
	/** The agent reports `pending`, `in_progress` or `completed`. */
	status: string;
	/** The agent reports `high`, `medium` or `low`. */
	priority: string;
}

export type AgentUpdate = { type: "text" | "reasoning"; text: string } | ToolUpdate | PlanUpdate;

/** The agent's own mode, and those that it offers. */
export interface ModeNotice extends AgentMode {
	type: "mode";
}

/** A report for the clients of the chat. A later one replaces the previous one of its type. */
export type ChatNotice =
	| { type: "commands"; commands: { name: string; description: string }[] }
	/** The tokens of the agent's context: how many are used, and how many fit. */
	| { type: "context"; used: number; size: number }
	| ModeNotice;

/** A report of the agent beside its answers, which may come at any time. A warning says what does not work in the session. */
export type AgentNotice = ChatNotice | { type: "warning"; sentence: string };

/** The agent's process ended while an answer was expected; the message says how it ended. */
export class AgentLostError extends Error {
	override readonly name = "AgentLostError";
}

/** A coding agent that runs. Whoever starts it closes it. */
export interface CodingAgent {
	/** The agent's own name, such as `Shell (no AI)`. */
	readonly title: string;
	/** Resolves with a sentence when the process has ended for any reason; it never rejects. */
	readonly ended: Promise<string>;
	/** Whether the agent was killed because it ignored an interrupt. */
	readonly wasKilled: boolean;
	/** Whether the agent has a model. Without one it can run commands, and cannot answer a question. */
	readonly hasModel: boolean;
	/** Opens a conversation in a folder. @throws {Error} with the agent's own words. */
	open(folder: string): Promise<void>;
	/** Chooses the model of later turns. @throws {Error} with a sentence when the agent offers no such choice. */
	setModel(model: string): Promise<void>;
	/** Makes the agent ask for the permissions that the mode requires. @throws {Error} with a sentence when it cannot. */
	setPermissionMode(mode: PermissionMode): Promise<void>;
	/** Chooses one of the agent's own modes. @throws {Error} with a sentence that names the modes when it has no such mode. */
	setMode(mode: string): Promise<ModeNotice>;
	/**
	 * Runs one turn. An agent that changed its mode by itself in an earlier turn gets the chosen one again. Resolves with the reason of its end: `end_turn`, `cancelled`, …
	 * @throws {AgentLostError}; {Error} with the agent's own words.
	 */
	prompt(text: string, onUpdate: (update: AgentUpdate) => void): Promise<string>;
	/** Ends the current turn soon, if necessary by killing the agent. */
	cancel(): void;
	/** Resolves when the process has ended, after at most 6 s. */
	close(): Promise<void>;
}
