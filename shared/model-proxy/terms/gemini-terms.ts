/** The terms of Gemini's format in a session with a budget. Each member has two spellings, which count as one. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import { any, isOne, isText, type Rule, type WireTerms } from "./wire-terms.ts";

const configMembers: Readonly<Record<string, Rule>> = {
	...any("stopSequences", "temperature", "topP", "topK", "maxOutputTokens", "responseMimeType", "responseSchema"),
	...any("seed", "responseJsonSchema", "presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs"),
	...any("thinkingConfig", "mediaResolution"),
	candidateCount: isOne,
	responseModalities: (value) => JSON.stringify(value).toUpperCase() === '["TEXT"]',
};

export const geminiTerms: WireTerms = {
	members: {
		...any("contents", "systemInstruction", "safetySettings", "toolConfig", "labels"),
		generationConfig: (value) => isJsonObject(value) && areAllowed(value, configMembers),
	},
	tool(tool) {
		const functions = twin(tool, "functionDeclarations");
		return functions === undefined ? undefined : { functionDeclarations: functions };
	},
	outputLimits(body) {
		const config = twin(body, "generationConfig");
		const { thinkingConfig, maxOutputTokens } = isJsonObject(config) ? camelCased(config) : {};
		const { thinkingBudget } = isJsonObject(thinkingConfig) ? camelCased(thinkingConfig) : {};
		const isSet = typeof thinkingBudget === "number" && thinkingBudget > 0;
		// Some versions count thoughts separately from the answer.
		return [isSet && typeof maxOutputTokens === "number" ? maxOutputTokens + thinkingBudget : maxOutputTokens];
	},
	part(part) {
		if (new Set(keysOf(part)).size < Object.keys(part).length) return "refused";
		const data = twin(part, "inlineData");
		if (twin(part, "fileData") !== undefined) return "reference";
		if (!isJsonObject(data)) return "plain";
		const type = twin(data, "mimeType");
		if (isText(type, /^image\//i)) return "image";
		// Sound has other prices.
		return isText(type, /^(?:application\/pdf|text\/|video\/)/i) ? "reference" : "refused";
	},
	query: /^$|^alt=sse$/,
};

/** Returns a member in either spelling; an object with both spellings is refused. */
function twin(value: JsonObject, name: string): unknown {
	return camelCased(value)[name];
}

function camelCased(value: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(value).map(([key, member]) => [camelCase(key), member]));
}

export function camelCase(key: string): string {
	return key.replaceAll(/(?<!_)_+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function keysOf(value: JsonObject): string[] {
	return Object.keys(value).map(camelCase);
}

function areAllowed(value: JsonObject, rules: Readonly<Record<string, Rule>>): boolean {
	return keysOf(value).every((key, index, all) => {
		const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
		return all.indexOf(key) === index && (rule === true || rule?.(camelCased(value)[key]) === true);
	});
}
