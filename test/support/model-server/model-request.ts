/** What an agent asks of its model, in one form for all wire formats. */
import type { ModelWire } from "#shared/models/model-wire.ts";

export type Json = Record<string, unknown>;

/** Name of the tool that finds others, which are offered only then. */
export const toolSearch = "tool_search";

export interface OfferedTool {
	name: string;
	/** What a call has to name beside it; undefined: nothing. */
	namespace?: string | undefined;
	description: string;
	/** JSON schema of its arguments; undefined: it takes text without a form. */
	schema: Json | undefined;
}

export interface ToolCall {
	name: string;
	namespace?: string | undefined;
	/** Text when the tool takes text without a form. */
	args: Json | string;
}

/** One contribution to the conversation, oldest first. */
export type Item =
	| { role: "user"; text: string }
	| { role: "assistant"; text: string; calls: ToolCall[] }
	/** What a tool has answered. */
	| { role: "tool"; text: string };

export interface ModelRequest {
	wire: ModelWire;
	model: string;
	isStreaming: boolean;
	/** Whether a stream is to end with its usage; matters to `openai-chat` only. */
	wantsUsage: boolean;
	system: string;
	items: Item[];
	tools: OfferedTool[];
	/** The form the answer must have; undefined: text. */
	answerSchema: Json | undefined;
	/** As sent. */
	body: Json;
	headers: NodeJS.Dict<string | string[]>;
}

export function isJson(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function jsonOf(value: unknown): Json {
	return isJson(value) ? value : {};
}

export function listOf(value: unknown): Json[] {
	return Array.isArray(value) ? value.filter(isJson) : [];
}

export function stringOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** Text as such, or of blocks like `{text}` one below the other. */
export function contentText(content: unknown): string {
	if (typeof content === "string") return content;
	return listOf(content)
		.map(({ text, content: inner }) => stringOf(text) || (inner === undefined ? "" : contentText(inner)))
		.filter((text) => text !== "")
		.join("\n");
}

/**
 * What a message of the user's role holds. Beside the answers of tools stand words of the agent, which it marks, or the
 * user's next message, when the turn before had no end.
 */
export function besideResults(results: readonly string[], text: string): Item[] {
	const answers = results.map((result): Item => ({ role: "tool", text: result }));
	const isAgents = results.length > 0 && (text === "" || text.startsWith("<system-reminder>"));
	return isAgents ? answers : [...answers, { role: "user", text }];
}

/** Arguments as most wires send them: JSON in a string. */
export function parsedArgs(text: unknown): Json | string {
	try {
		const value: unknown = JSON.parse(stringOf(text));
		return isJson(value) ? value : stringOf(text);
	} catch {
		return stringOf(text);
	}
}
