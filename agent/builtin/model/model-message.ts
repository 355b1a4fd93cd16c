/** Messages of a conversation with a model: how long they are, and how they are kept in an order providers accept. Pure. */
import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";

export type ModelMessage = LanguageModelV4Message;

/** Rough, and for most texts too much rather than too little. */
const charactersPerToken = 4;

export function estimatedTokens(messages: readonly ModelMessage[]): number {
	return messages.reduce((sum, { content }) => sum + estimatedTokensOf(content), 0);
}

/** Of anything that is told as JSON. */
export function estimatedTokensOf(value: unknown): number {
	return Math.ceil(JSON.stringify(value).length / charactersPerToken);
}

export function userMessage(text: string): ModelMessage {
	return { role: "user", content: [{ type: "text", text }] };
}

/** The words of a user's message; undefined for any other. */
export function userText(message: ModelMessage): string | undefined {
	if (message.role !== "user") return undefined;
	return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function toolMessage(part: LanguageModelV4ToolResultPart): ModelMessage {
	return { role: "tool", content: [part] };
}

/** Some models accept no two messages of a user in a row; they become one. */
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

/** Every call gets a result, and every result has its call: what a crash left open is closed. */
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
