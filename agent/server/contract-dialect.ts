/**
 * Translates the chat's frames into the form that the contract's clients read (behaviour 6.4; the table is in
 * docs/chat.md): they open a message with its `assistant` frame, take the content of blocks from deltas, and know
 * tools by the names of one agent. Pure.
 */
import type { PodFrame, StreamFrame } from "#shared/pod/frames.ts";
import { isJsonObject, type JsonObject } from "../io/json-object.ts";

/**
 * The tool names for which clients have icons, by kinds of the Agent Client Protocol; another kind keeps its own
 * name.
 */
const toolNames: Readonly<Record<string, string>> = {
	execute: "Bash",
	edit: "Edit",
	read: "Read",
	search: "Grep",
	fetch: "WebFetch",
	think: "Task",
};

/** @param model The name of the session's model; undefined when it has none. */
export function inContractDialect(frame: PodFrame, model: string | undefined): PodFrame[] {
	if (frame.type === "message_start") return [frame, opening(frame, model)];
	if (frame.type === "content_block_start") return blockStart(frame);
	// A second `assistant` frame would be a second message.
	if (frame.type === "assistant") return [];
	if (frame.type === "control_request") return [{ ...frame, tool: nameOf(frame.tool) }];
	if (frame.type === "result" && model !== undefined && isJsonObject(frame["usage"]))
		return [{ ...frame, modelUsage: { [model]: modelUsage(frame["usage"], frame["total_cost_usd"]) } }];
	return [frame];
}

function opening({ message, in_reply_to }: StreamFrame, model: string | undefined): StreamFrame {
	const usage = { input_tokens: 0, output_tokens: 0 };
	const opened = { ...(isJsonObject(message) && message), ...(model !== undefined && { model }), usage };
	return { type: "assistant", message: opened, in_reply_to };
}

function blockStart(frame: StreamFrame): StreamFrame[] {
	const block = isJsonObject(frame["content_block"]) ? frame["content_block"] : {};
	if (block["type"] === "tool_use") return toolStart(frame, block);
	for (const member of ["text", "thinking"] as const) {
		const grown = block[member];
		if (typeof grown === "string" && grown !== "")
			return [emptied(frame, { ...block, [member]: "" }), delta(frame, { type: `${member}_delta`, [member]: grown })];
	}
	return [frame];
}

function toolStart(frame: StreamFrame, { name, input, ...block }: JsonObject): StreamFrame[] {
	return [
		emptied(frame, { ...block, name: nameOf(name), input: {} }),
		delta(frame, { type: "input_json_delta", partial_json: JSON.stringify(input ?? {}) }),
	];
}

function nameOf(kind: unknown): string {
	const name = String(kind);
	return Object.hasOwn(toolNames, name) ? (toolNames[name] ?? name) : name;
}

function emptied(frame: StreamFrame, content_block: object): StreamFrame {
	return { ...frame, content_block };
}

function delta({ index }: StreamFrame, grown: object): StreamFrame {
	return { type: "content_block_delta", index, delta: grown };
}

function modelUsage(counts: JsonObject, cost: unknown): object {
	return {
		inputTokens: counts["input_tokens"] ?? 0,
		outputTokens: counts["output_tokens"] ?? 0,
		cacheReadInputTokens: counts["cache_read_input_tokens"] ?? 0,
		cacheCreationInputTokens: counts["cache_creation_input_tokens"] ?? 0,
		...(typeof cost === "number" && { costUSD: cost }),
	};
}
