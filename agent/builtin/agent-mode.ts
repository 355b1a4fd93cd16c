/** The interface of the two modes of the built-in agent, with a model and without. */
import type { AgentCapabilities, PromptResponse, SessionModeState } from "@agentclientprotocol/sdk";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import type { AcpClient } from "./acp-client.ts";

/** One way to handle the requests of a client. The process chooses one mode when it starts. */
export interface AgentMode {
	/** The name that people see. */
	readonly title: string;
	readonly capabilities: AgentCapabilities;
	open(opening: SessionOpening): Promise<AgentSession>;
	/**
	 * Loads an earlier session and shows its conversation again. It is absent when sessions end with the process.
	 * Rejects when there is no such session.
	 */
	load?(opening: SessionOpening): Promise<AgentSession>;
}

export interface SessionOpening {
	sessionId: string;
	/** The path is absolute. */
	folder: string;
	/** The servers have the form that ACP gives them. */
	mcpServers: readonly JsonObject[];
	client: AcpClient;
}

/** One conversation; turns run one at a time. */
export interface AgentSession {
	/** It is absent when there are no modes to choose from. */
	readonly modes?: SessionModeState;
	/** Runs one turn; the signal cancels it. Rejects with a sentence for the user. */
	answer(prompt: readonly JsonObject[], signal: AbortSignal): Promise<PromptResponse>;
	/** @throws {Error} when there is no such mode. */
	setMode?(modeId: string): void;
	close(): Promise<void>;
}
