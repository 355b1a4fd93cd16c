/**
 * Decides what a call may ask for in a session with a budget, and how much it may use. The members of its body are
 * allowed by name, because the price of any other member is unknown. Pure.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";
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

/** The tokens of an answer without a close bound. */
const usualOutput = 4_000;
/** The tokens of one picture, estimated rather high. */
const imageTokens = 5_000;
const bytesPerToken = 4;
const maxBetaBytes = 2_048;
/** These features have prices of their own. */
const dearBeta = /^(?:context-1m|fast-mode|mcp-client|code-execution|skills|files-api|extended-cache-ttl)/;
/** These headers change the request into another one. */
const otherRequest = /^(?:x-http-method|x-method-override|x-vertex-ai-llm)/;

/** Returns the body without tools that the provider runs, because the price of their use is unknown. */
export function withOwnTools(wire: ModelWire, { tools, ...body }: JsonObject): JsonObject {
	const ownTools = objectsOf([tools].flat()).flatMap((tool) => terms[wire].tool(tool) ?? []);
	if (ownTools.length > 0) return { ...body, tools: ownTools };
	const choices = new Set(["tool_choice", "toolConfig", "tool_config"]);
	return Object.fromEntries(Object.entries(body).filter(([name]) => !choices.has(name)));
}

/** @param bytes The length of the body as sent. @throws {ProxyError} with status 400, naming what is not allowed. */
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
		// A token stands for one byte at least, but the bytes of a picture do not bound its tokens.
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

/** Examines every object of the body at any depth. */
function partsOf({ part }: WireTerms, body: JsonObject): { images: number; isReferring: boolean } {
	let images = 0;
	let isReferring = false;
	const open: unknown[] = [body];
	while (open.length > 0) {
		const value = open.pop();
		if (isJsonObject(value)) {
			const term = part(value);
			if (term === "refused") throw notAllowed(`${JSON.stringify(value).slice(0, 100)} as a part of it`);
			if (term === "image") images++;
			isReferring ||= term === "reference";
		}
		if (typeof value === "object" && value !== null) for (const member of Object.values(value)) open.push(member);
	}
	return { images, isReferring };
}

/** Returns infinity when nothing bounds the output. */
function outputLimit(limits: readonly unknown[]): number {
	const set = limits.filter((limit) => limit !== undefined && limit !== null);
	const wrong = set.find((limit) => !Number.isSafeInteger(limit) || Number(limit) < 1);
	if (wrong !== undefined) throw notAllowed(`${JSON.stringify(wrong)?.slice(0, 100)} as the greatest number of tokens`);
	return set.length === 0 ? Infinity : Math.max(...set.map(Number));
}

function notAllowed(what: string): ProxyError {
	return new ProxyError(400, `A session with a budget may not call its model with ${what}`);
}
