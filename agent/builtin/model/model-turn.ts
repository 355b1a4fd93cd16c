/** Runs one turn: calls the model and the tools that it asks for, until the model asks for no more tools. */
import type { SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import { addTokens, noTokens, type TokenCounts, totalTokens } from "#shared/wire/models/token-counts.ts";
import type { AcpClient } from "../acp-client.ts";
import type { Tool } from "../tools/tool.ts";
import type { ToolResult, ToolRunner } from "../tools/tool-runner.ts";
import { compaction, isNearlyFull } from "./compaction.ts";
import type { AssistantContent, FinishReason, ModelAnswer, ModelToolCall } from "./model-answer.ts";
import type { ModelContext } from "./model-context.ts";
import { AnswerAborted, type ModelEndpoint } from "./model-endpoint.ts";
import { ModelFailure } from "./model-failure.ts";
import { type ModelMessage, toolMessage } from "./model-message.ts";
import type { Transcript } from "./transcript.ts";

/** The dependencies of a turn, given by its session. */
export interface ModelTurnDependencies {
	endpoint: ModelEndpoint;
	context: ModelContext;
	transcript: Transcript | undefined;
	client: AcpClient;
	runner: ToolRunner;
	tools: readonly Tool[];
	system: string;
	signal: AbortSignal;
}

/** The bound on calls of the model in one turn. */
const maxSteps = 100;

const stopReasons: Partial<Record<FinishReason, StopReason>> = { length: "max_tokens", "content-filter": "refusal" };

/** One turn; an instance runs once. */
export class ModelTurn {
	/** The tokens of all calls so far, including those for summaries. */
	usage: TokenCounts = { ...noTokens };
	readonly #dependencies: ModelTurnDependencies;

	constructor(dependencies: ModelTurnDependencies) {
		this.#dependencies = dependencies;
	}

	/** @throws {ModelFailure} */
	async run(): Promise<StopReason> {
		try {
			for (let step = 0; step < maxSteps; step++) {
				const { calls, finish = "other" } = await this.#askWithRoom();
				if (calls.length === 0) return stopReasons[finish] ?? "end_turn";
				if (await this.#runCalls(calls)) return "cancelled";
			}
			return "max_turn_requests";
		} catch (error) {
			if (error instanceof AnswerAborted) return "cancelled";
			throw error;
		}
	}

	/** Compacts a conversation that is nearly full by our estimate, or that the provider finds too long. */
	async #askWithRoom(): Promise<ModelAnswer> {
		const { context, endpoint } = this.#dependencies;
		if (isNearlyFull(context, endpoint.settings.contextWindow)) await this.#compact();
		try {
			return await this.#ask();
		} catch (error) {
			if (!(error instanceof ModelFailure && error.isTooLong && (await this.#compact()))) throw error;
			return this.#ask();
		}
	}

	async #ask(): Promise<ModelAnswer> {
		const { endpoint, context, client, tools, system, signal } = this.#dependencies;
		const functions = tools.map(({ name, description, inputSchema }) => ({
			type: "function" as const,
			name,
			description,
			inputSchema,
		}));
		let said = "";
		const listener = {
			text(text: string) {
				said += text;
				client.update(chunk("agent_message_chunk", text));
			},
			thought: (text: string) => client.update(chunk("agent_thought_chunk", text)),
		};
		const request = { system, messages: context.messages, tools: functions, listener, signal };
		const answer = await endpoint.ask(request).catch(async (error: unknown) => {
			// The text that the user has read belongs to the conversation.
			if (said.trim() !== "") await this.#addAnswer([{ type: "text", text: said }]);
			throw error;
		});
		await this.#addAnswer(answer.content);
		context.count(totalTokens(answer.usage));
		this.#account(answer);
		return answer;
	}

	async #addAnswer(content: AssistantContent): Promise<void> {
		if (content.length === 0) return;
		const updates = content.flatMap((part): SessionUpdate[] => {
			if (part.type === "text") return [chunk("agent_message_chunk", part.text)];
			return part.type === "reasoning" && part.text !== "" ? [chunk("agent_thought_chunk", part.text)] : [];
		});
		await this.#add({ role: "assistant", content }, updates);
	}

	/** Runs the calls one after the other; every call gets a result. Resolves with whether the turn was cancelled. */
	async #runCalls(calls: readonly ModelToolCall[]): Promise<boolean> {
		const { runner, tools, signal } = this.#dependencies;
		let isCancelled = false;
		for (const call of calls) {
			const result: ToolResult = isCancelled ? runner.skip(call) : await runner.run(call, tools, signal);
			isCancelled ||= result.isCancelled || signal.aborted;
			await this.#add(toolMessage(result.part), result.updates);
		}
		return isCancelled;
	}

	/** Resolves with whether there is more room afterwards. */
	async #compact(): Promise<boolean> {
		const { context, endpoint, transcript, client, signal } = this.#dependencies;
		const made = await compaction(context, endpoint, signal);
		if (!made) return false;
		context.compact(made.summary, made.retained);
		await transcript?.compacted(context.messages);
		if (made.answer) this.#account(made.answer);
		if (client.showsNotices) client.update(noticeOf(made.answer !== undefined));
		return true;
	}

	async #add(message: ModelMessage, updates: SessionUpdate[]): Promise<void> {
		this.#dependencies.context.add(message);
		await this.#dependencies.transcript?.add(message, updates);
	}

	#account({ usage }: ModelAnswer): void {
		this.usage = addTokens(this.usage, usage);
		const { client, context, endpoint } = this.#dependencies;
		client.update({ sessionUpdate: "usage_update", used: context.used, size: endpoint.settings.contextWindow });
	}
}

function chunk(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): SessionUpdate {
	return { sessionUpdate, content: { type: "text", text } };
}

function noticeOf(isSummarised: boolean): SessionUpdate {
	const title = isSummarised
		? "The older part of the conversation was summarised for the model"
		: "The older part of the conversation was dropped for the model";
	const description = "It had become longer than the model reads.";
	return { sessionUpdate: "notice", severity: isSummarised ? "info" : "warning", title, description };
}
