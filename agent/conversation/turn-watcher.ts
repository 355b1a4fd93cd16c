/** The interfaces by which other parts follow the turns: activity, usage, timeline and connected clients. */
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { AgentUpdate } from "../coding-agents/coding-agent.ts";

/** Receives what happens in the turns. The methods are called in order and must neither throw nor wait. */
export interface TurnWatcher {
	/** The message is about to be sent to the coding agent. */
	began?(message: ConversationTurn): void;
	/** @param isExecuting Whether a tool call is under way after the update. */
	updated?(update: AgentUpdate, isExecuting: boolean): void;
	/** The answer is on disk. */
	ended?(answer: ConversationTurn): void;
	/** The platform itself has added a message to the queue. */
	queued?(id: string, content: string): void;
	/** No message waits that could be answered now. */
	rested?(): void;
}

/** A condition of each turn. A turn waits as long as its gate is closed, and the messages behind it wait too. */
export interface TurnGate {
	/** Resolves when the turn may begin. Rejects only when `signal` aborts. */
	pass(message: ConversationTurn, signal: AbortSignal): Promise<void>;
}
