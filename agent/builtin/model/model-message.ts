/** Messages of a conversation with a model: their length, and the order that providers accept. Pure. */
import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";

export type ModelMessage = LanguageModelV4Message;

/** The ratio is rough; for most texts it estimates too many tokens rather than too few. */
const charactersPerToken = 4;

export function estimatedTokens(messages: readonly ModelMessage[]): number {
	return messages.reduce((sum, { content }) => sum + estimatedTokensOf(content), 0);
}

/** Estimates the tokens of a value that is sent as JSON. */
export function estimatedTokensOf(value: unknown): number {
	return Math.ceil(JSON.stringify(value).length / charactersPerToken);
}

export function userMessage(text: string): ModelMessage {
	return { role: "user", content: [{ type: "text", text }] };
}

/** Returns the text of a user's message, and undefined for any other message. */
export function userText(message: ModelMessage): string | undefined {
	if (message.role !== "user") return undefined;
	return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function toolMessage(part: LanguageModelV4ToolResultPart): ModelMessage {
	return { role: "tool", content: [part] };
}

/** Some models accept no two messages of a user in a row, so such messages become one. */
export function alternating(messages: readonly ModelMessage[]): ModelMessage[] {
	const merged: ModelMessage[] = [];
	for (const message of messages) {
		const last = merged.at(-1);
		const before = last && userText(last);
		const words = userText(message);
		if (before !== undefined && words !== undefined) merged.splice(-1, 1, userMessage(`${before}\n\n${words}`));
		else merged.push(message);
	}
	return merged;
}

const interrupted = "The agent was interrupted during this call; whether it took effect is not known";

/** Returns messages with a result for every call, also one that a crash interrupted, and no result without its call. */
export function mended(messages: readonly ModelMessage[]): ModelMessage[] {
	const results = new Map(messages.flatMap(resultsOf).map((part) => [part.toolCallId, part]));
	return messages.flatMap((message) => {
		if (message.role === "tool") return [];
		const calls = message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [];
		const answers = calls.map(({ toolCallId, toolName }) => {
			const output = { type: "error-text" as const, value: interrupted };
			return toolMessage(results.get(toolCallId) ?? { type: "tool-result", toolCallId, toolName, output });
		});
		return [message, ...answers];
	});
}

function resultsOf(message: ModelMessage): LanguageModelV4ToolResultPart[] {
	return message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : [];
}
