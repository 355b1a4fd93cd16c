/** What the built-in agent can be: with a model or without. The protocol around it is the same. */
import type { AgentCapabilities, PromptResponse, SessionModeState } from "@agentclientprotocol/sdk";
import type { JsonObject } from "../io/json-object.ts";
import type { AcpClient } from "./acp-client.ts";

export interface AgentMode {
	/** For people. */
	readonly title: string;
	readonly capabilities: AgentCapabilities;
	open(opening: SessionOpening): Promise<AgentSession>;
	/** Absent: sessions end with the process. What was said before is shown again. Rejects when there is no such session. */
	load?(opening: SessionOpening): Promise<AgentSession>;
}

export interface SessionOpening {
	sessionId: string;
	/** Absolute. */
	folder: string;
	/** As the client names them. */
	mcpServers: readonly JsonObject[];
	client: AcpClient;
}

export interface AgentSession {
	/** Absent: there is nothing to choose. */
	readonly modes?: SessionModeState;
	/** One turn; the signal cancels it. Rejects with a sentence for the user. */
	answer(prompt: readonly JsonObject[], signal: AbortSignal): Promise<PromptResponse>;
	/** @throws {Error} when there is no such mode. */
	setMode?(modeId: string): void;
	close(): Promise<void>;
}
