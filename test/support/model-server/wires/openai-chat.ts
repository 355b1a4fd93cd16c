/** OpenAI chat completions. https://platform.openai.com/docs/api-reference/chat */
import { argsText, type Frame, pieces, type Reply, type Wire } from "../answer.ts";
import {
	contentText,
	type Item,
	type Json,
	jsonOf,
	listOf,
	type OfferedTool,
	parsedArgs,
	stringOf,
} from "../model-request.ts";

export const openaiChat: Wire = {
	parse(body) {
		const messages = listOf(body["messages"]);
		const format = jsonOf(body["response_format"]);
		const isForm = format["type"] === "json_object" || format["type"] === "json_schema";
		return {
			model: stringOf(body["model"]),
			isStreaming: body["stream"] === true,
			wantsUsage: jsonOf(body["stream_options"])["include_usage"] === true,
			system: messages.filter(isSystem).map(messageText).join("\n"),
			items: messages.filter((message) => !isSystem(message)).map(itemOf),
			tools: listOf(body["tools"]).map(toolOf),
			answerSchema: isForm ? jsonOf(jsonOf(format["json_schema"])["schema"]) : undefined,
		};
	},

	whole: (reply) => ({
		...head(reply, "chat.completion"),
		choices: [
			{
				index: 0,
				message: {
					role: "assistant",
					content: reply.text === "" ? null : reply.text,
					...(reply.thought !== "" && { reasoning_content: reply.thought }),
					...(reply.calls.length > 0 && { tool_calls: reply.calls.map((call) => toolCall(call, argsText(call))) }),
				},
				finish_reason: finishReason(reply),
			},
		],
		...(!reply.isSilent && { usage: usageOf(reply) }),
	}),

	stream(reply) {
		const tellsUsage = reply.request.wantsUsage && !reply.isSilent;
		const chunk = (choices: Json[], usage: Json | null = null): string =>
			data({ ...head(reply, "chat.completion.chunk"), choices, ...(tellsUsage && { usage }) });
		const delta = (change: Json, finish_reason: string | null = null): Frame => ({
			text: chunk([{ index: 0, delta: change, finish_reason }]),
		});
		return [
			delta({ role: "assistant", content: "" }),
			...pieces(reply.thought).map((text) => delta({ reasoning_content: text })),
			...pieces(reply.text).map((content) => delta({ content })),
			...reply.calls.flatMap((call, index) => callFrames(call, index).map((change) => delta(change))),
			delta({}, finishReason(reply)),
			...(tellsUsage ? [{ text: chunk([], usageOf(reply)), reported: reply.counts }] : []),
			{ text: "data: [DONE]\n\n" },
		];
	},

	failure: (status, message) => ({ error: { message, type: "scripted_error", param: null, code: status } }),
};

/** Returns the pieces of a call: the first one names the tool, the others contain its arguments. */
function callFrames(call: Reply["calls"][number], index: number): Json[] {
	const deltas = pieces(argsText(call), 2).map((text) => ({ index, function: { arguments: text } }));
	return [{ index, ...toolCall(call, "") }, ...deltas].map((delta) => ({ tool_calls: [delta] }));
}

function toolCall({ id, name }: Reply["calls"][number], text: string): Json {
	return { id, type: "function", function: { name, arguments: text } };
}

function head({ id, model }: Reply, object: string): Json {
	return { id: `chatcmpl-${id}`, object, created: 1_790_000_000, model };
}

/** Returns the usage. `prompt_tokens` includes cached tokens, and `completion_tokens` includes reasoning. */
function usageOf({ counts, thought }: Reply): Json {
	const { input, output, cache_read, cache_write } = counts;
	const prompt = input + cache_read + cache_write;
	return {
		prompt_tokens: prompt,
		completion_tokens: output,
		total_tokens: prompt + output,
		prompt_tokens_details: { cached_tokens: cache_read, ...(cache_write > 0 && { cache_write_tokens: cache_write }) },
		completion_tokens_details: { reasoning_tokens: thought === "" ? 0 : Math.floor(output / 3) },
	};
}

function finishReason({ isCut, calls }: Reply): string {
	if (isCut) return "length";
	return calls.length > 0 ? "tool_calls" : "stop";
}

function isSystem({ role }: Json): boolean {
	return role === "system" || role === "developer";
}

function itemOf(message: Json): Item {
	const text = messageText(message);
	if (message["role"] === "tool") return { role: "tool", text };
	if (message["role"] !== "assistant") return { role: "user", text };
	const calls = listOf(message["tool_calls"]).map(({ function: called }) => ({
		name: stringOf(jsonOf(called)["name"]),
		args: parsedArgs(jsonOf(called)["arguments"]),
	}));
	return { role: "assistant", text, calls };
}

function messageText({ content }: Json): string {
	return contentText(content);
}

function toolOf(tool: Json): OfferedTool {
	const { name, description, parameters } = jsonOf(tool["function"]);
	return { name: stringOf(name), description: stringOf(description), schema: jsonOf(parameters) };
}

function data(value: object): string {
	return `data: ${JSON.stringify(value)}\n\n`;
}
