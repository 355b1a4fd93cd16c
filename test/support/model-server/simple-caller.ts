/** Calls a model in any wire format like an agent, and parses the answer. */
import type { ModelAccess, ModelWire } from "#shared/wire/models/model-wire.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import {
	type Item,
	type Json,
	jsonOf,
	listOf,
	type OfferedTool,
	parsedArgs,
	stringOf,
	type ToolCall,
} from "./model-request.ts";

export interface Asked {
	items: Item[];
	tools?: OfferedTool[];
	isStreaming?: boolean;
	answerSchema?: Json;
	/** Whether the usage of an `openai-chat` stream is requested. Default true. */
	wantsUsage?: boolean;
	signal?: AbortSignal;
	/** Receives the whole text so far after each piece. */
	onText?: (raw: string) => void;
}

export interface Answered {
	status: number;
	retryAfter: string | null;
	headers: Headers;
	/** The answer as received. */
	raw: string;
	text: string;
	calls: ToolCall[];
	/** The usage that the answer reports. */
	counts: TokenCounts | undefined;
	/** Whether the connection was closed before the end. */
	isBroken: boolean;
}

export function userMessage(text: string): { items: Item[] } {
	return { items: [{ role: "user", text }] };
}

export function toolsOf(names: readonly string[]): OfferedTool[] {
	return names.map((name) => ({ name, description: name, schema: { type: "object", properties: {} } }));
}

/** Calls the model. @throws {Error} when there is no answer at all. */
export async function askModel(
	access: Pick<ModelAccess, "endpoints" | "key" | "model">,
	wire: ModelWire,
	asked: Asked,
): Promise<Answered> {
	const { path, body } = callers[wire].request(access.model, asked);
	const response = await fetch(`${access.endpoints[wire]}${path}`, {
		method: "POST",
		headers: { "content-type": "application/json", ...callers[wire].key(access.key) },
		body: JSON.stringify(body),
		signal: asked.signal ?? null,
	});
	const { raw, isBroken } = await readAll(response, asked.onText);
	const { status, headers } = response;
	const read = status === 200 ? callers[wire].read(valuesOf(raw)) : { text: "", calls: [], counts: undefined };
	return { status, headers, retryAfter: headers.get("retry-after"), raw, isBroken, ...read };
}

interface Caller {
	key(key: string): Record<string, string>;
	request(model: string, asked: Asked): { path: string; body: Json };
	/** Reads an answer. @param values The whole answer, or the pieces of its stream. */
	read(values: readonly Json[]): Pick<Answered, "text" | "calls" | "counts">;
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

const callers: Record<ModelWire, Caller> = {
	"openai-chat": { key: bearer, request: chatRequest, read: readChat },
	"openai-responses": { key: bearer, request: responsesRequest, read: readResponses },
	anthropic: { key: (key) => ({ "x-api-key": key }), request: anthropicRequest, read: readAnthropic },
	gemini: { key: (key) => ({ "x-goog-api-key": key }), request: geminiRequest, read: readGemini },
};

function chatRequest(
	model: string,
	{ items, tools = [], isStreaming = false, answerSchema, wantsUsage = true }: Asked,
): { path: string; body: Json } {
	const messages = items.map((item): Json => {
		if (item.role === "user") return { role: "user", content: item.text };
		if (item.role === "tool") return { role: "tool", tool_call_id: "1", content: item.text };
		const tool_calls = item.calls.map(({ name, args }) => ({
			id: "1",
			type: "function",
			function: { name, arguments: JSON.stringify(args) },
		}));
		return { role: "assistant", content: item.text, ...(tool_calls.length > 0 && { tool_calls }) };
	});
	const offered = tools.map(({ name, description, schema }) => ({
		type: "function",
		function: { name, description, parameters: schema },
	}));
	return {
		path: "/chat/completions",
		body: {
			model,
			messages,
			tools: offered,
			...(isStreaming && { stream: true }),
			...(isStreaming && wantsUsage && { stream_options: { include_usage: true } }),
			...(answerSchema && { response_format: { type: "json_schema", json_schema: { schema: answerSchema } } }),
		},
	};
}

function readChat(values: readonly Json[]): Pick<Answered, "text" | "calls" | "counts"> {
	const parts = values.flatMap(({ choices }) => listOf(choices)).map(({ delta, message }) => jsonOf(delta ?? message));
	const called = parts.flatMap((part) => listOf(part["tool_calls"])).map(({ function: one }) => jsonOf(one));
	const usage = jsonOf(values.findLast(({ usage: reported }) => reported)?.["usage"]);
	return {
		text: parts.map(({ content }) => stringOf(content)).join(""),
		calls: gathered(called.map(({ name, arguments: text }) => ({ name: stringOf(name), text: stringOf(text) }))),
		counts: openaiCounts(usage, "prompt_tokens", "completion_tokens"),
	};
}

function responsesRequest(
	model: string,
	{ items, tools = [], isStreaming = false, answerSchema }: Asked,
): { path: string; body: Json } {
	const input = items.flatMap((item): Json[] => {
		if (item.role === "tool") return [{ type: "function_call_output", call_id: "1", output: item.text }];
		const type = item.role === "user" ? "input_text" : "output_text";
		const message = { type: "message", role: item.role, content: [{ type, text: item.text }] };
		const calls = item.role === "assistant" ? item.calls : [];
		const called = calls.map(({ name, args }) => ({
			type: "function_call",
			call_id: "1",
			name,
			arguments: JSON.stringify(args),
		}));
		return item.text === "" ? called : [message, ...called];
	});
	const offered = tools.map(({ name, description, schema }) => ({
		type: "function",
		name,
		description,
		parameters: schema,
	}));
	const text = answerSchema && { format: { type: "json_schema", name: "form", schema: answerSchema } };
	return { path: "/responses", body: { model, input, tools: offered, stream: isStreaming, ...(text && { text }) } };
}

function readResponses(values: readonly Json[]): Pick<Answered, "text" | "calls" | "counts"> {
	const last = values.at(-1) ?? {};
	const response = jsonOf(last["response"] ?? last);
	const output = listOf(response["output"]);
	const called = output.filter(({ type }) => type === "function_call");
	return {
		text: output
			.flatMap(({ content }) => listOf(content))
			.map(({ text }) => stringOf(text))
			.join(""),
		calls: called.map(({ name, arguments: text }) => ({ name: stringOf(name), args: parsedArgs(text) })),
		counts: openaiCounts(jsonOf(response["usage"]), "input_tokens", "output_tokens"),
	};
}

function openaiCounts(usage: Json, all: string, produced: string): TokenCounts | undefined {
	if (usage[all] === undefined) return undefined;
	const details = jsonOf(usage[`${all}_details`]);
	const cache_read = Number(details["cached_tokens"] ?? 0);
	const cache_write = Number(details["cache_write_tokens"] ?? 0);
	return {
		input: Number(usage[all]) - cache_read - cache_write,
		output: Number(usage[produced]),
		cache_read,
		cache_write,
	};
}

function anthropicRequest(
	model: string,
	{ items, tools = [], isStreaming = false, answerSchema }: Asked,
): { path: string; body: Json } {
	const messages = items.map((item): Json => {
		if (item.role === "user") return { role: "user", content: item.text };
		if (item.role === "tool")
			return { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: item.text }] };
		const called = item.calls.map(({ name, args }) => ({ type: "tool_use", id: "1", name, input: args }));
		return {
			role: "assistant",
			content: [...(item.text === "" ? [] : [{ type: "text", text: item.text }]), ...called],
		};
	});
	const offered = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
	const form = answerSchema && { output_config: { format: { type: "json_schema", schema: answerSchema } } };
	return {
		path: "/v1/messages",
		body: { model, max_tokens: 1_000, messages, tools: offered, stream: isStreaming, ...form },
	};
}

function readAnthropic(values: readonly Json[]): Pick<Answered, "text" | "calls" | "counts"> {
	const [first = {}] = values;
	const message = jsonOf(first["message"] ?? first);
	const blocks = [...listOf(message["content"]), ...values.map(({ content_block }) => jsonOf(content_block))];
	const deltas = values.map(({ delta }) => jsonOf(delta));
	const called = [...blocks, ...deltas].flatMap((part): { name: string; text: string }[] => {
		if (part["type"] === "input_json_delta") return [{ name: "", text: stringOf(part["partial_json"]) }];
		if (part["type"] !== "tool_use") return [];
		return [{ name: stringOf(part["name"]), text: first["message"] ? "" : JSON.stringify(part["input"]) }];
	});
	const usage = {
		...jsonOf(message["usage"]),
		...jsonOf(values.findLast(({ usage: reported }) => reported)?.["usage"]),
	};
	return {
		text: [...blocks, ...deltas].map(({ text }) => stringOf(text)).join(""),
		calls: gathered(called),
		counts:
			usage["input_tokens"] === undefined
				? undefined
				: {
						input: Number(usage["input_tokens"]),
						output: Number(usage["output_tokens"]),
						cache_read: Number(usage["cache_read_input_tokens"]),
						cache_write: Number(usage["cache_creation_input_tokens"]),
					},
	};
}

function geminiRequest(
	model: string,
	{ items, tools = [], isStreaming = false, answerSchema }: Asked,
): { path: string; body: Json } {
	const contents = items.map((item): Json => {
		if (item.role === "user") return { role: "user", parts: [{ text: item.text }] };
		if (item.role === "tool")
			return { role: "user", parts: [{ functionResponse: { name: "one", response: { output: item.text } } }] };
		const called = item.calls.map(({ name, args }) => ({ functionCall: { name, args } }));
		return { role: "model", parts: [...(item.text === "" ? [] : [{ text: item.text }]), ...called] };
	});
	const functionDeclarations = tools.map(({ name, description, schema }) => ({
		name,
		description,
		parametersJsonSchema: schema,
	}));
	const form = answerSchema && {
		generationConfig: { responseMimeType: "application/json", responseJsonSchema: answerSchema },
	};
	const method = isStreaming ? "streamGenerateContent?alt=sse" : "generateContent";
	return { path: `/v1beta/models/${model}:${method}`, body: { contents, tools: [{ functionDeclarations }], ...form } };
}

function readGemini(values: readonly Json[]): Pick<Answered, "text" | "calls" | "counts"> {
	const candidates = values.flatMap((value) => listOf(value["candidates"]));
	const parts = candidates.flatMap(({ content }) => listOf(jsonOf(content)["parts"]));
	const usage = jsonOf(values.findLast(({ usageMetadata }) => usageMetadata)?.["usageMetadata"]);
	const count = (name: string): number => Number(usage[name] ?? 0);
	const cache_read = count("cachedContentTokenCount");
	return {
		text: parts
			.filter(({ thought }) => thought !== true)
			.map(({ text }) => stringOf(text))
			.join(""),
		calls: parts
			.filter(({ functionCall }) => functionCall !== undefined)
			.map(({ functionCall }) => ({
				name: stringOf(jsonOf(functionCall)["name"]),
				args: jsonOf(jsonOf(functionCall)["args"]),
			})),
		counts:
			usage["promptTokenCount"] === undefined
				? undefined
				: {
						input: count("promptTokenCount") - cache_read + count("toolUsePromptTokenCount"),
						output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
						cache_read,
						cache_write: 0,
					},
	};
}

/** Joins pieces to calls: a piece with a name begins a call, the others continue it. */
function gathered(parts: readonly { name: string; text: string }[]): ToolCall[] {
	const calls: { name: string; text: string }[] = [];
	for (const { name, text } of parts) {
		const last = calls.at(-1);
		if (name !== "" || !last) calls.push({ name, text });
		else last.text += text;
	}
	return calls.map(({ name, text }) => ({ name, args: parsedArgs(text) }));
}

/** Returns the data of a stream's events, or the whole answer. */
function valuesOf(raw: string): Json[] {
	if (raw.startsWith("{")) return [jsonOf(JSON.parse(raw))];
	const data = [...raw.matchAll(/^data: (\{.*\})\r?$/gm)];
	return data.map(([, text = ""]) => jsonOf(JSON.parse(text)));
}

async function readAll(
	response: Response,
	onText: (raw: string) => void = () => {},
): Promise<{ raw: string; isBroken: boolean }> {
	const decoder = new TextDecoder();
	let raw = "";
	try {
		for await (const chunk of response.body ?? []) {
			raw += decoder.decode(chunk as Uint8Array, { stream: true });
			onText(raw);
		}
		return { raw, isBroken: false };
	} catch {
		return { raw, isBroken: true };
	}
}
