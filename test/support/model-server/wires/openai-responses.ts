/** OpenAI responses. https://platform.openai.com/docs/api-reference/responses */
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
	toolSearch,
} from "../model-request.ts";

export const openaiResponses: Wire = {
	parse(body) {
		const { input } = body;
		const format = jsonOf(jsonOf(body["text"])["format"]);
		const list = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
		return {
			model: stringOf(body["model"]),
			isStreaming: body["stream"] === true,
			wantsUsage: true,
			system: stringOf(body["instructions"]),
			items: list.flatMap(itemsOf),
			tools: [...listOf(body["tools"]), ...list.flatMap(({ type, tools }) => foundBy(type, tools))]
				.flatMap(toolsOf())
				.map((tool) => (mayLeaveSandbox(list) ? tool : withoutWayOut(tool))),
			answerSchema: format["type"] === "json_schema" ? jsonOf(format["schema"]) : undefined,
		};
	},

	whole: (reply) => response(reply, reply.isCut ? "incomplete" : "completed"),

	stream(reply) {
		const output = outputOf(reply);
		const last = reply.isCut ? "incomplete" : "completed";
		const events: (Json & { type: string })[] = [
			{ type: "response.created", response: response(reply, "in_progress") },
			{ type: "response.in_progress", response: response(reply, "in_progress") },
			...output.flatMap((item, index) => itemEvents(item, index)),
			{ type: `response.${last}`, response: response(reply, last) },
		];
		return events.map((event, sequence_number): Frame => {
			const text = `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
			return event.type === `response.${last}` && !reply.isSilent ? { text, reported: reply.counts } : { text };
		});
	},

	failure: (status, message) => ({ error: { message, type: "scripted_error", param: null, code: String(status) } }),
};

function response(reply: Reply, status: "in_progress" | "completed" | "incomplete"): Json {
	const isOver = status !== "in_progress";
	return {
		id: `resp_${reply.id}`,
		object: "response",
		created_at: 1_790_000_000,
		status,
		error: null,
		incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
		model: reply.model,
		output: isOver ? outputOf(reply) : [],
		parallel_tool_calls: true,
		usage: isOver && !reply.isSilent ? usageOf(reply) : null,
	};
}

/** Returns the usage. `input_tokens` includes cached tokens, and `output_tokens` includes reasoning. */
function usageOf({ counts, thought }: Reply): Json {
	const { input, output, cache_read, cache_write } = counts;
	const all = input + cache_read + cache_write;
	return {
		input_tokens: all,
		input_tokens_details: { cached_tokens: cache_read, ...(cache_write > 0 && { cache_write_tokens: cache_write }) },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: thought === "" ? 0 : Math.floor(output / 3) },
		total_tokens: all + output,
	};
}

function outputOf(reply: Reply): Json[] {
	const { id, text, calls } = reply;
	const content = [{ type: "output_text", text, annotations: [] }];
	const message = { type: "message", id: `msg_${id}`, status: "completed", role: "assistant", content };
	return [...(text === "" ? [] : [message]), ...calls.map((call) => callItem(reply, call))];
}

function callItem({ request }: Reply, call: Reply["calls"][number]): Json {
	const { id, name, namespace } = call;
	if (name === toolSearch) return searchItem(call);
	const isCustom = request.tools.some((tool) => tool.name === name && tool.schema === undefined);
	const named = { call_id: id, name, ...(namespace !== undefined && { namespace }) };
	if (isCustom) return { type: "custom_tool_call", id: `ctc_${id}`, ...named, input: argsText(call) };
	return { type: "function_call", id: `fc_${id}`, ...named, arguments: argsText(call), status: "completed" };
}

/** Returns a search for tools, which the caller executes itself. */
function searchItem({ id, args }: Reply["calls"][number]): Json {
	const call = { id: `tsc_${id}`, call_id: id, execution: "client", arguments: args };
	return { type: "tool_search_call", ...call, status: "completed" };
}

function itemEvents(item: Json, output_index: number): (Json & { type: string })[] {
	const at = { item_id: item["id"], output_index };
	const added = { type: "response.output_item.added", output_index, item: { ...item, ...emptied(item) } };
	const done = { type: "response.output_item.done", output_index, item };
	return [added, ...middleEvents(item, at), done];
}

function emptied({ type }: Json): Json {
	if (type === "message") return { content: [], status: "in_progress" };
	if (type === "tool_search_call") return { status: "in_progress" };
	return type === "function_call" ? { arguments: "", status: "in_progress" } : { input: "" };
}

function middleEvents(item: Json, at: Json): (Json & { type: string })[] {
	if (item["type"] === "function_call") {
		const text = stringOf(item["arguments"]);
		const deltas = pieces(text, 2).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta }));
		return [...deltas, { type: "response.function_call_arguments.done", ...at, arguments: text }];
	}
	if (item["type"] !== "message") return [];
	const [part = {}] = listOf(item["content"]);
	const text = stringOf(part["text"]);
	const place = { ...at, content_index: 0 };
	return [
		{ type: "response.content_part.added", ...place, part: { ...part, text: "" } },
		...pieces(text).map((delta) => ({ type: "response.output_text.delta", ...place, delta })),
		{ type: "response.output_text.done", ...place, text },
		{ type: "response.content_part.done", ...place, part },
	];
}

function itemsOf(item: Json): Item[] {
	const type = stringOf(item["type"]);
	if (type.endsWith("_output")) {
		const { output, tools } = item;
		if (tools !== undefined) return [{ role: "tool", text: JSON.stringify(tools) }];
		return [{ role: "tool", text: typeof output === "string" ? output : contentText(output) }];
	}
	if (type.endsWith("_call")) {
		const args = type === "function_call" ? parsedArgs(item["arguments"]) : stringOf(item["input"]);
		const name = type === "tool_search_call" ? toolSearch : stringOf(item["name"]);
		return [{ role: "assistant", text: "", calls: [{ name, args }] }];
	}
	const text = contentText(item["content"]);
	if (item["role"] === "assistant") return [{ role: "assistant", text, calls: [] }];
	return item["role"] === "user" ? [{ role: "user", text }] : [];
}

/**
 * Whether commands may leave the sandbox. Codex always offers that, and says in a message whether it may be used; the
 * last message counts.
 */
function mayLeaveSandbox(list: readonly Json[]): boolean {
	const rules = list
		.filter(({ role }) => role === "developer")
		.map(({ content }) => contentText(content))
		.findLast((text) => text.includes("<permissions instructions>"));
	return !rules?.includes("Approval policy is currently never");
}

function withoutWayOut({ schema, ...tool }: OfferedTool): OfferedTool {
	const { sandbox_permissions: _, ...properties } = jsonOf(schema?.["properties"]);
	return { ...tool, schema: schema && { ...schema, properties } };
}

/** Returns the tools that a search has found, which are offered from then on. */
function foundBy(type: unknown, tools: unknown): Json[] {
	return type === "tool_search_output" ? listOf(tools) : [];
}

function toolsOf(namespace?: string): (tool: Json) => OfferedTool[] {
	return (tool) => {
		const { type, name, description, parameters } = tool;
		if (type === "namespace") return listOf(tool["tools"]).flatMap(toolsOf(stringOf(name)));
		if (type === toolSearch) return [{ name: toolSearch, description: "", schema: jsonOf(parameters) }];
		if (type !== "function" && type !== "custom") return [];
		const schema = type === "function" ? jsonOf(parameters) : undefined;
		return [{ name: stringOf(name), namespace, description: stringOf(description), schema }];
	};
}
