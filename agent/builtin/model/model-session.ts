/** A conversation with a model in one folder. */
import type { PromptResponse, SessionModeState, SessionUpdate } from "@agentclientprotocol/sdk";
import { isoTime } from "#shared/base/clock.ts";
import { type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { Environment } from "../../io/environment.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import type { AgentSession, SessionOpening } from "../agent-mode.ts";
import { orAborted } from "#shared/base/concurrency/or-aborted.ts";
import { logLine } from "../stderr-log.ts";
import { bash } from "../tools/bash.ts";
import { editFile } from "../tools/edit-file.ts";
import { listFiles } from "../tools/list-files.ts";
import { McpServers } from "../tools/mcp-servers.ts";
import { ToolPermissions, sessionModes } from "../tools/tool-permissions.ts";
import { readFile } from "../tools/read-file.ts";
import { searchFiles } from "../tools/search-files.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import { updatePlan } from "../tools/update-plan.ts";
import { writeFile } from "../tools/write-file.ts";
import { ModelContext } from "./model-context.ts";
import type { ModelEndpoint } from "./model-endpoint.ts";
import { estimatedTokensOf, type ModelMessage, userMessage } from "./model-message.ts";
import { ModelTurn } from "./model-turn.ts";
import { promptText } from "./prompt-text.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { Transcript } from "./transcript.ts";

/** The dependencies of a session, given by the mode that makes it. */
export interface ModelSessionDependencies {
	endpoint: ModelEndpoint;
	/** The environment of programs that the tools start. */
	env: Environment;
	/** It is absent when the session ends with the process. */
	transcript: Transcript | undefined;
	messages: readonly ModelMessage[];
}

const modeNames = {
	ask: { name: "Ask", description: "Asks before it changes files, runs commands or uses MCP tools" },
	auto: { name: "Auto", description: "Asks nobody" },
};

/** Answers the messages of one session, with a memory of what was said. */
export class ModelSession implements AgentSession {
	readonly #opening: SessionOpening;
	readonly #dependencies: ModelSessionDependencies;
	readonly #context: ModelContext;
	readonly #permissions: ToolPermissions;
	readonly #runner: ToolRunner;
	readonly #tools: Tool[];
	readonly #mcp: McpServers;

	constructor(opening: SessionOpening, dependencies: ModelSessionDependencies) {
		const { folder, client, mcpServers } = opening;
		this.#opening = opening;
		this.#dependencies = dependencies;
		this.#context = new ModelContext(dependencies.messages);
		this.#permissions = new ToolPermissions(client);
		const { contextWindow } = dependencies.endpoint.settings;
		this.#runner = new ToolRunner({ folder, client, permissions: this.#permissions, contextWindow });
		this.#tools = [readFile, writeFile, editFile, listFiles, searchFiles(dependencies.env), bash, updatePlan];
		this.#mcp = new McpServers(mcpServers, { folder, env: dependencies.env }, (sentence) => this.#complain(sentence));
	}

	get modes(): SessionModeState {
		const availableModes = sessionModes.map((id) => ({ id, ...modeNames[id] }));
		return { currentModeId: this.#permissions.mode, availableModes };
	}

	setMode(modeId: string): void {
		const mode = sessionModes.find((name) => name === modeId);
		if (!mode) throw new Error(`There is no mode "${modeId}"; there are ${sessionModes.join(", ")}`);
		this.#permissions.mode = mode;
	}

	async answer(prompt: readonly JsonObject[], signal: AbortSignal): Promise<PromptResponse> {
		const { endpoint, transcript } = this.#dependencies;
		const { client, folder } = this.#opening;
		const text = promptText(prompt);
		const message = userMessage(text);
		this.#context.add(message);
		await transcript?.add(message, [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }]);
		const mcpTools = await orAborted(this.#mcp.tools(), signal).catch(() => []);
		if (signal.aborted) return { stopReason: "cancelled" };
		const tools = [...this.#tools, ...mcpTools];
		const system = await systemPrompt(folder, isoTime());
		const context = this.#context;
		context.overhead = estimatedTokensOf([system, tools]);
		const turn = new ModelTurn({ endpoint, context, transcript, client, runner: this.#runner, tools, system, signal });
		const stopReason = await turn.run();
		const response: PromptResponse & { usage: object } = { stopReason, usage: usageOf(turn.usage) };
		return response;
	}

	async close(): Promise<void> {
		await Promise.all([this.#mcp.close(), this.#dependencies.transcript?.close()]);
	}

	#complain(sentence: string): void {
		const { client } = this.#opening;
		const notice: SessionUpdate = { sessionUpdate: "notice", severity: "warning", title: sentence };
		if (client.showsNotices) client.update(notice);
		else logLine(sentence);
	}
}

/** The usage of this turn in the form of the protocol's draft. The total is the sum of four exclusive parts. */
function usageOf(usage: TokenCounts): object {
	return {
		totalTokens: totalTokens(usage),
		inputTokens: usage.input,
		outputTokens: usage.output,
		cachedReadTokens: usage.cache_read,
		cachedWriteTokens: usage.cache_write,
	};
}
