/** Gemini `generateContent` and `streamGenerateContent?alt=sse`. https://ai.google.dev/api/generate-content */
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

const path = /\/models\/([^/:]+):(\w+)$/;

export const gemini: Wire = {
	parse(body, requested) {
		const [, model = "", method] = path.exec(requested) ?? [];
		const config = jsonOf(body["generationConfig"]);
		const isForm = config["responseMimeType"] === "application/json";
		return {
			model: decodeURIComponent(model),
			isStreaming: method === "streamGenerateContent",
			wantsUsage: true,
			system: contentText(jsonOf(body["systemInstruction"])["parts"]),
			items: listOf(body["contents"]).flatMap(itemsOf),
			tools: listOf(body["tools"]).flatMap(({ functionDeclarations }) => listOf(functionDeclarations).map(toolOf)),
			answerSchema: isForm ? jsonOf(config["responseJsonSchema"] ?? config["responseSchema"]) : undefined,
		};
	},

	whole: (reply) => chunk(reply, partsOf(reply), { isLast: true, counts: reply.counts }),

	stream(reply) {
		const parts = [
			...pieces(reply.thought).map((text) => ({ text, thought: true })),
			...pieces(reply.text).map((text) => ({ text })),
			...partsOf({ ...reply, thought: "", text: "" }),
		];
		return parts.map((part, index): Frame => {
			const isLast = index === parts.length - 1;
			// Each piece reports the sum so far.
			const output = isLast ? reply.counts.output : Math.floor((reply.counts.output * index) / parts.length);
			const counts = { ...reply.counts, output };
			const text = `data: ${JSON.stringify(chunk(reply, [part], { isLast, counts }))}\r\n\r\n`;
			return reply.isSilent ? { text } : { text, reported: counts };
		});
	},

	failure: (status, message) => ({
		error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "UNKNOWN" },
	}),
};

function chunk(reply: Reply, parts: Json[], { isLast, counts }: { isLast: boolean; counts: TokenCounts }): Json {
	const finishReason = reply.isCut ? "MAX_TOKENS" : "STOP";
	return {
		candidates: [{ content: { role: "model", parts }, index: 0, ...(isLast && { finishReason }) }],
		...(!reply.isSilent && { usageMetadata: usageOf(counts) }),
		modelVersion: reply.model,
		responseId: reply.id,
	};
}

/**
 * Returns the usage. `promptTokenCount` includes cached tokens; reasoning and the input of the provider's tools are
 * separate.
 */
function usageOf({ input, output, cache_read }: TokenCounts): Json {
	const thoughts = Math.floor(output / 4);
	const toolUse = Math.floor(input / 10);
	return {
		promptTokenCount: input - toolUse + cache_read,
		candidatesTokenCount: output - thoughts,
		totalTokenCount: input + cache_read + output,
		cachedContentTokenCount: cache_read,
		thoughtsTokenCount: thoughts,
		toolUsePromptTokenCount: toolUse,
	};
}

function partsOf({ thought, text, calls }: Reply): Json[] {
	const functionCalls = calls.map((call) => {
		const args = isJson(call.args) ? call.args : { input: argsText(call) };
		return { functionCall: { id: call.id, name: call.name, args } };
	});
	const parts = [
		...(thought === "" ? [] : [{ text: thought, thought: true }]),
		...(text === "" ? [] : [{ text }]),
		...functionCalls,
	];
	return parts.length > 0 ? parts : [{ text: "" }];
}

function itemsOf({ role, parts }: Json): Item[] {
	const list = listOf(parts);
	const text = contentText(list.filter(({ thought }) => thought !== true));
	if (role === "model") {
		const calls = list
			.flatMap(({ functionCall }) => (isJson(functionCall) ? [functionCall] : []))
			.map(({ name, args }) => ({ name: stringOf(name), args: jsonOf(args) }));
		return [{ role: "assistant", text, calls }];
	}
	const results = list.flatMap(({ functionResponse }) => (isJson(functionResponse) ? [functionResponse] : []));
	return besideResults(
		results.map(({ response }) => resultText(jsonOf(response))),
		text,
	);
}

function resultText(response: Json): string {
	return stringOf(response["output"]) || JSON.stringify(response);
}

function toolOf({ name, description, parameters, parametersJsonSchema }: Json): OfferedTool {
	const schema = jsonOf(parametersJsonSchema ?? parameters);
	return { name: stringOf(name), description: stringOf(description), schema };
}
