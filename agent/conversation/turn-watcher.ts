/** What happens in the dialogue, told to whoever keeps an account of it: activity, usage, timeline, connected clients. */
import type { ConversationTurn } from "#shared/contracts/sessions.ts";
import type { AgentUpdate } from "../coding-agents/coding-agent.ts";

/** Its methods are called in order and must neither throw nor wait. */
export interface TurnWatcher {
	/** The message goes to the coding agent now. */
	began?(message: ConversationTurn): void;
	/** @param isExecuting Whether a tool call is under way after the update. */
	updated?(update: AgentUpdate, isExecuting: boolean): void;
	/** The answer is on disk. */
	ended?(answer: ConversationTurn): void;
	/** No message waits that could be answered now. */
	rested?(): void;
}

/** Asked before each turn; a turn waits as long as its gate is closed, and the messages behind it wait with it. */
export interface TurnGate {
	/** Resolves when the turn may begin. Rejects only when `signal` aborts. */
	pass(message: ConversationTurn, signal: AbortSignal): Promise<void>;
}
