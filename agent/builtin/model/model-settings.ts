/** Which model the built-in agent speaks to, as its environment says; without all of it there is none. Pure. */

import { baseUrl } from "#shared/base-url.ts";

export interface ModelSettings {
	/** As the provider knows it. */
	model: string;
	wire: BuiltinWire;
	/** URL prefix; what follows is the wire's own path. */
	url: string;
	/** Shown in the wire's usual header. */
	token: string;
	/** Tokens the model reads at most. */
	contextWindow: number;
	/** How long the endpoint may say nothing in the middle of an answer. Default 60,000. */
	idleMs: number;
	/** Folder of the agent's transcripts; absent: sessions end with the process. */
	stateFolder: string | undefined;
}

/** The wire formats of models that the built-in agent speaks, a part of all there are. */
export const builtinWires = ["openai-chat", "anthropic"] as const;
export type BuiltinWire = (typeof builtinWires)[number];

/** Commands that the agent runs have no use for these. */
export const modelVariables = [
	"ATELIER_MODEL",
	"ATELIER_MODEL_WIRE",
	"ATELIER_MODEL_URL",
	"ATELIER_MODEL_TOKEN",
	"ATELIER_MODEL_CONTEXT",
	"ATELIER_MODEL_IDLE_MS",
	"ATELIER_MODEL_REFUSAL",
	"ATELIER_AGENT_STATE",
] as const;

const defaultIdleMs = 60_000;

/** Undefined when a part is missing or makes no sense: the agent has no model then. */
export function readModelSettings(env: NodeJS.ProcessEnv): ModelSettings | undefined {
	const { ATELIER_MODEL: model, ATELIER_MODEL_URL: url, ATELIER_MODEL_TOKEN: token } = env;
	const wire = builtinWires.find((name) => name === env["ATELIER_MODEL_WIRE"]);
	const contextWindow = wholeNumber(env["ATELIER_MODEL_CONTEXT"]);
	if (!model || !wire || !url || !URL.canParse(url) || !token || !contextWindow) return undefined;
	const idleMs = wholeNumber(env["ATELIER_MODEL_IDLE_MS"]) ?? defaultIdleMs;
	const stateFolder = env["ATELIER_AGENT_STATE"] || undefined;
	return { model, wire, url: baseUrl(url), token, contextWindow, idleMs, stateFolder };
}

/** A positive one. */
function wholeNumber(text: string | undefined): number | undefined {
	const value = Number(text || Number.NaN);
	return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
