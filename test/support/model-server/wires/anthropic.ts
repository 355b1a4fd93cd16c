/** Anthropic messages. https://docs.anthropic.com/en/api/messages-streaming */
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import { argsText, type Frame, pieces, type Reply, type Wire } from "../answer.ts";
import {
	besideResults,
	contentText,
	isJson,
	type Item,
	type Json,
	jsonOf,
	listOf,
	type OfferedTool,
	stringOf,
} from "../model-request.ts";

export const anthropic: Wire = {
	parse(body) {
		const format = jsonOf(jsonOf(body["output_config"])["format"] ?? body["output_format"]);
		return {
			model: stringOf(body["model"]),
			isStreaming: body["stream"] === true,
			wantsUsage: true,
			system: contentText(body["system"]),
			items: listOf(body["messages"]).flatMap(itemsOf),
			tools: listOf(body["tools"]).filter(isOwnTool).map(toolOf),
			answerSchema: format["type"] === "json_schema" ? jsonOf(format["schema"]) : undefined,
		};
	},

	whole: (reply) => ({
		...message(reply),
		content: blocksOf(reply),
		stop_reason: stopReason(reply),
		...(reply.isSilent ? {} : { usage: usageOf(reply.counts) }),
	}),

	stream(reply) {
		const { counts, isSilent } = reply;
		const first: TokenCounts = { ...counts, output: Math.min(1, counts.output) };
		const start = { ...message(reply), ...(!isSilent && { usage: usageOf(first) }) };
		const last = { stop_reason: stopReason(reply), stop_sequence: null };
		const usage = { ...(!isSilent && { usage: { output_tokens: counts.output } }) };
		return [
			{ text: event("message_start", { message: start }), ...(!isSilent && { reported: first }) },
			{ text: event("ping", {}) },
			...blocksOf(reply).flatMap((block, index) => blockFrames(block, index)),
			{ text: event("message_delta", { delta: last, ...usage }), ...(!isSilent && { reported: counts }) },
			{ text: event("message_stop", {}) },
		];
	},

	failure: (status, text) => ({ type: "error", error: { type: errorType(status), message: text } }),
};

function blockFrames(block: Json, index: number): Frame[] {
	const frame = (type: string, change: Json): Frame => ({ text: event(type, { index, ...change }) });
	const { content_block, deltas } = opened(block);
	return [
		frame("content_block_start", { content_block }),
		...deltas.map((delta) => frame("content_block_delta", { delta })),
		frame("content_block_stop", {}),
	];
}

function opened(block: Json): { content_block: Json; deltas: Json[] } {
	if (block["type"] === "tool_use") {
		const deltas = pieces(JSON.stringify(block["input"]), 2).map((partial_json) => ({
			type: "input_json_delta",
			partial_json,
		}));
		return { content_block: { ...block, input: {} }, deltas };
	}
	const kind = block["type"] === "thinking" ? "thinking" : "text";
	const deltas = pieces(stringOf(block[kind])).map((text) => ({ type: `${kind}_delta`, [kind]: text }));
	return { content_block: { ...block, [kind]: "" }, deltas };
}

function blocksOf({ thought, text, calls }: Reply): Json[] {
	return [
		...(thought === "" ? [] : [{ type: "thinking", thinking: thought, signature: "" }]),
		...(text === "" ? [] : [{ type: "text", text }]),
		...calls.map((call) => {
			const input = isJson(call.args) ? call.args : { input: argsText(call) };
			return { type: "tool_use", id: `toolu_${call.id}`, name: call.name, input };
		}),
	];
}

function message({ id, model }: Reply): Json {
	return {
		id: `msg_${id}`,
		type: "message",
		role: "assistant",
		model,
		content: [],
		stop_reason: null,
		stop_sequence: null,
	};
}

/** Returns the usage; the counts of this format are exclusive. */
function usageOf({ input, output, cache_read, cache_write }: TokenCounts): Json {
	return {
		input_tokens: input,
		cache_creation_input_tokens: cache_write,
		cache_read_input_tokens: cache_read,
		output_tokens: output,
	};
}

function stopReason({ isCut, calls }: Reply): string {
	if (isCut) return "max_tokens";
	return calls.length > 0 ? "tool_use" : "end_turn";
}

function errorType(status: number): string {
	const types: Record<number, string> = {
		401: "authentication_error",
		429: "rate_limit_error",
		404: "not_found_error",
	};
	return types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}

function itemsOf({ role, content }: Json): Item[] {
	const blocks = listOf(content);
	if (role === "assistant") {
		const calls = blocks
			.filter(({ type }) => type === "tool_use")
			.map(({ name, input }) => ({ name: stringOf(name), args: jsonOf(input) }));
		return [{ role: "assistant", text: contentText(content), calls }];
	}
	const results = blocks.filter(({ type }) => type === "tool_result");
	const said = results.length === 0 ? content : blocks.filter(({ type }) => type === "text");
	return besideResults(
		results.map((result) => contentText(result["content"])),
		contentText(said),
	);
}

/** Whether a tool is the agent's own: the agent does not call tools of the provider, like its web search. */
function isOwnTool({ type = "custom" }: Json): boolean {
	return type === "custom";
}

function toolOf({ name, description, input_schema }: Json): OfferedTool {
	return { name: stringOf(name), description: stringOf(description), schema: jsonOf(input_schema) };
}

function event(type: string, value: Json): string {
	return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
}
