/** An agent's request to its model, in one form for all wire formats. */
import type { ModelWire } from "#shared/wire/models/model-wire.ts";

export type Json = Record<string, unknown>;

/** The name of the tool that searches for other tools, which are offered only afterwards. */
export const toolSearch = "tool_search";

export interface OfferedTool {
	name: string;
	/** The namespace that a call has to name; undefined: none. */
	namespace?: string | undefined;
	description: string;
	/** The JSON schema of its arguments; undefined: it takes free text. */
	schema: Json | undefined;
}

export interface ToolCall {
	name: string;
	namespace?: string | undefined;
	/** The arguments; a text when the tool takes free text. */
	args: Json | string;
}

/** One contribution to the conversation; lists have the oldest first. */
export type Item =
	| { role: "user"; text: string }
	| { role: "assistant"; text: string; calls: ToolCall[] }
	/** The answer of a tool. */
	| { role: "tool"; text: string };

export interface ModelRequest {
	wire: ModelWire;
	model: string;
	isStreaming: boolean;
	/** Whether a stream ends with its usage; relevant for `openai-chat` only. */
	wantsUsage: boolean;
	system: string;
	items: Item[];
	tools: OfferedTool[];
	/** The schema of the answer; undefined: it is a text. */
	answerSchema: Json | undefined;
	/** The body as sent. */
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

/** Returns a text, or the texts of blocks like `{text}` in lines. */
export function contentText(content: unknown): string {
	if (typeof content === "string") return content;
	return listOf(content)
		.map(({ text, content: inner }) => stringOf(text) || (inner === undefined ? "" : contentText(inner)))
		.filter((text) => text !== "")
		.join("\n");
}

/**
 * Returns the items of a message with the role `user`. Beside the answers of tools it contains texts of the agent,
 * which the agent marks, or the user's next message when the turn before had no end.
 */
export function besideResults(results: readonly string[], text: string): Item[] {
	const answers = results.map((result): Item => ({ role: "tool", text: result }));
	const isAgents = results.length > 0 && (text === "" || text.startsWith("<system-reminder>"));
	return isAgents ? answers : [...answers, { role: "user", text }];
}

/** Parses arguments, which most wire formats send as JSON in a string. */
export function parsedArgs(text: unknown): Json | string {
	try {
		const value: unknown = JSON.parse(stringOf(text));
		return isJson(value) ? value : stringOf(text);
	} catch {
		return stringOf(text);
	}
}
