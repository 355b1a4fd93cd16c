/**
 * What a call may ask for in a session with a budget, and how much it may use. Members of its body are allowed by name:
 * of any other nobody here knows what it costs. Pure.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ModelWire } from "#shared/models/model-wire.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../io/json-object.ts";
import type { CallBounds } from "../metering/metered-call.ts";
import { ProxyError } from "../proxy-error.ts";
import type { ProxyRoute } from "../proxy-route.ts";
import { anthropicTerms } from "./anthropic-terms.ts";
import { camelCase, geminiTerms } from "./gemini-terms.ts";
import { chatTerms, responsesTerms } from "./openai-terms.ts";
import type { Rule, WireTerms } from "./wire-terms.ts";

const terms: Record<ModelWire, WireTerms> = {
	"openai-chat": chatTerms,
	"openai-responses": responsesTerms,
	anthropic: anthropicTerms,
	gemini: geminiTerms,
};

/** Tokens of an answer nobody has bounded closely. */
const usualOutput = 4_000;
/** Tokens of one picture, rather many. */
const imageTokens = 5_000;
const bytesPerToken = 4;
const maxBetaBytes = 2_048;
/** They have prices of their own. */
const dearBeta = /^(?:context-1m|fast-mode|mcp-client|code-execution|skills|files-api|extended-cache-ttl)/;
/** They make another request of it. */
const otherRequest = /^(?:x-http-method|x-method-override|x-vertex-ai-llm)/;

/** The body without tools that the provider runs: nobody here knows what each use of them costs. */
export function withOwnTools(wire: ModelWire, { tools, ...body }: JsonObject): JsonObject {
	const kept = objectsOf([tools].flat()).flatMap((tool) => terms[wire].tool(tool) ?? []);
	if (kept.length > 0) return { ...body, tools: kept };
	const choices = new Set(["tool_choice", "toolConfig", "tool_config"]);
	return Object.fromEntries(Object.entries(body).filter(([name]) => !choices.has(name)));
}

/** @param bytes Of the body as it is sent. @throws {ProxyError} 400, naming what is not allowed. */
export function callTerms(
	{ wire, path }: Pick<ProxyRoute, "wire" | "path">,
	body: JsonObject,
	{ headers, bytes }: { headers: IncomingHttpHeaders; bytes: number },
): CallBounds {
	refuseHeaders(headers);
	const query = path.split("?", 2)[1] ?? "";
	if (!terms[wire].query.test(query)) throw notAllowed(`the query "${query.slice(0, 100)}"`);
	refuseMembers(wire, body);
	const { images, isReferring } = partsOf(terms[wire], body);
	const output = outputLimit(terms[wire].outputLimits(body));
	const input = isReferring ? Infinity : Math.ceil(bytes / bytesPerToken) + images * imageTokens;
	return {
		likely: { input, output: Math.min(usualOutput, output) },
		// Each token stands for a byte at least; what a picture is, its bytes do not tell.
		atMost: { input: isReferring || images > 0 ? Infinity : bytes, output },
	};
}

function refuseHeaders(headers: IncomingHttpHeaders): void {
	const other = Object.keys(headers).find((name) => otherRequest.test(name));
	if (other !== undefined) throw notAllowed(`the header "${other}"`);
	const beta = String(headers["anthropic-beta"] ?? "");
	if (beta.length > maxBetaBytes) throw notAllowed(`a header "anthropic-beta" of ${beta.length} bytes`);
	const dear = beta
		.split(",")
		.map((name) => name.trim())
		.find((name) => dearBeta.test(name));
	if (dear !== undefined) throw notAllowed(`the beta "${dear}"`);
}

function refuseMembers(wire: ModelWire, body: JsonObject): void {
	const { members } = terms[wire];
	const seen = new Set<string>();
	for (const [key, value] of Object.entries(body)) {
		const name = wire === "gemini" ? camelCase(key) : key;
		if (seen.has(name)) throw notAllowed(`two spellings of "${name}"`);
		seen.add(name);
		const rule = name === "tools" || (Object.hasOwn(members, name) && members[name]);
		if (!rule) throw notAllowed(`"${key.slice(0, 100)}"`);
		if (!keeps(rule, value)) throw notAllowed(`this value of "${name}"`);
	}
}

function keeps(rule: Rule, value: unknown): boolean {
	return rule === true || value === null || rule(value);
}

/** Looks at every object of the body, however deep. */
function partsOf({ part }: WireTerms, body: JsonObject): { images: number; isReferring: boolean } {
	let images = 0;
	let isReferring = false;
	const left: unknown[] = [body];
	while (left.length > 0) {
		const value = left.pop();
		if (isJsonObject(value)) {
			const term = part(value);
			if (term === "refused") throw notAllowed(`${JSON.stringify(value).slice(0, 100)} as a part of it`);
			if (term === "image") images++;
			isReferring ||= term === "reference";
		}
		if (typeof value === "object" && value !== null) for (const member of Object.values(value)) left.push(member);
	}
	return { images, isReferring };
}

/** Infinite when nothing bounds it. */
function outputLimit(limits: readonly unknown[]): number {
	const set = limits.filter((limit) => limit !== undefined && limit !== null);
	const wrong = set.find((limit) => !Number.isSafeInteger(limit) || Number(limit) < 1);
	if (wrong !== undefined) throw notAllowed(`${JSON.stringify(wrong)?.slice(0, 100)} as the greatest number of tokens`);
	return set.length === 0 ? Infinity : Math.max(...set.map(Number));
}

function notAllowed(what: string): ProxyError {
	return new ProxyError(400, `A session with a budget may not call its model with ${what}`);
}
