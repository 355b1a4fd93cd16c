/** Makes room in the model's window: the older part of the conversation is summarised, or dropped if that fails. */
import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { BoundedText } from "../../io/bounded-text.ts";
import type { ModelAnswer } from "./model-answer.ts";
import type { ModelContext } from "./model-context.ts";
import { AnswerAborted, type ModelEndpoint } from "./model-endpoint.ts";
import { estimatedTokens, type ModelMessage, userMessage, userText } from "./model-message.ts";

/** Shares of the window: the use at which compaction starts, and what it retains and summarises at most. */
const shares = { full: 0.8, retained: 0.3, summarised: 0.5 };
/** Shares of the tokens of all messages: at most `retained` stays, and at least `older` must go to be worth a call. */
const ofMessages = { retained: 0.5, older: 0.2 };
const charactersPerToken = 3;
const maxPartLength = 2_000;
const maxRequestLength = 8_000;

const instructions =
	"You summarise the work of a coding agent so that it can go on without the conversation itself. Keep: what the user " +
	"wants, in their words where they matter; decisions and constraints; files read, created and changed, with what " +
	"matters in them; commands and their results; errors and how they were solved; what is done and what is next. " +
	"Leave out pleasantries. Answer with the summary only.";

/** The result of a compaction: a summary, followed by the messages that are retained. */
export interface Compaction {
	/** The message that replaces everything before the retained messages. */
	summary: ModelMessage;
	retained: number;
	/** It is absent when the model gave no summary and the older part is dropped. */
	answer?: ModelAnswer;
}

export function isNearlyFull(context: ModelContext, window: number): boolean {
	return context.used > window * shares.full;
}

/** Returns undefined when a compaction would gain nothing. @throws {AnswerAborted} */
export async function compaction(
	context: ModelContext,
	endpoint: ModelEndpoint,
	signal: AbortSignal,
): Promise<Compaction | undefined> {
	const { contextWindow } = endpoint.settings;
	const all = estimatedTokens(context.messages);
	const from = retainedFrom(context.messages, Math.min(contextWindow * shares.retained, all * ofMessages.retained));
	const older = context.messages.slice(0, from);
	if (older.length === 0 || estimatedTokens(older) < all * ofMessages.older) return undefined;
	const retained = context.messages.length - from;
	const answer = await summarise(older, endpoint, signal);
	const words = answer?.text.trim() || "No summary could be made; what was said before is lost.";
	return { summary: summaryMessage(words, older), retained, ...(answer && { answer }) };
}

/** Returns the first index that stays: as many messages as fit, the last exchange, and no result without its call. */
export function retainedFrom(messages: readonly ModelMessage[], tokens: number): number {
	let from = messages.length;
	let room = tokens;
	for (let index = messages.length - 1; index > 0; index--) {
		const message = messages[index];
		if (!message) break;
		room -= estimatedTokens([message]);
		if (room < 0 && from < messages.length) break;
		if (message.role !== "tool") from = index;
	}
	return from;
}

/** Resolves with undefined when the model gives no summary. */
async function summarise(
	older: readonly ModelMessage[],
	endpoint: ModelEndpoint,
	signal: AbortSignal,
): Promise<ModelAnswer | undefined> {
	const text = new BoundedText(endpoint.settings.contextWindow * shares.summarised * charactersPerToken);
	for (const message of older) text.append(written(message));
	const messages = [userMessage(`The conversation:\n\n${text.toString()}\n\nWrite the summary.`)];
	const listener = { text() {}, thought() {} };
	try {
		return await endpoint.ask({ system: instructions, messages, tools: [], listener, signal });
	} catch (error) {
		if (error instanceof AnswerAborted) throw error;
		return undefined;
	}
}

function summaryMessage(words: string, older: readonly ModelMessage[]): ModelMessage {
	const request = older.map(userText).findLast((text) => text !== undefined && !text.startsWith(opening));
	const reminder =
		request === undefined ? "" : `\n\nThe user's last message before this: ${request.slice(0, maxRequestLength)}`;
	return userMessage(`${opening}\n\n${words}${reminder}`);
}

const opening = "(The conversation so far became too long. Its summary:)";

function written(message: ModelMessage): string {
	if (message.role === "system") return "";
	const parts = message.content.map((part) => {
		if (part.type === "text") return part.text;
		if (part.type === "tool-call")
			return `calls ${part.toolName} ${JSON.stringify(part.input).slice(0, maxPartLength)}`;
		if (part.type === "tool-result") return resultText(part.output).slice(0, maxPartLength);
		return "";
	});
	return `${message.role.toUpperCase()}: ${parts.join("\n")}\n\n`;
}

function resultText(output: LanguageModelV4ToolResultOutput): string {
	return output.type === "text" || output.type === "error-text" ? output.value : "";
}
