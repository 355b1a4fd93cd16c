/** Reads from the environment which model the built-in agent uses: none unless all required variables are set. Pure. */

import { baseUrl } from "#shared/base/base-url.ts";

export interface ModelSettings {
	/** The name by which the provider knows the model. */
	model: string;
	wire: BuiltinWire;
	/** The prefix of URLs, to which the library of the format adds its own path. */
	url: string;
	/** The token is sent in the usual header of the wire format. */
	token: string;
	/** The largest number of tokens that the model reads. */
	contextWindow: number;
	/** How long the endpoint may be silent in the middle of an answer. The default is 60,000. */
	idleMs: number;
	/** The folder of the agent's transcripts. It is absent when sessions end with the process. */
	stateFolder: string | undefined;
}

/** The wire formats that the built-in agent speaks; the platform knows more. */
export const builtinWires = ["openai-chat", "anthropic"] as const;
export type BuiltinWire = (typeof builtinWires)[number];

/** These variables are removed from the environment of the commands that the agent runs. */
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

/** Returns undefined when a variable is missing or invalid: the agent has no model then. */
export function readModelSettings(env: NodeJS.ProcessEnv): ModelSettings | undefined {
	const { ATELIER_MODEL: model, ATELIER_MODEL_URL: url, ATELIER_MODEL_TOKEN: token } = env;
	const wire = builtinWires.find((name) => name === env["ATELIER_MODEL_WIRE"]);
	const contextWindow = wholeNumber(env["ATELIER_MODEL_CONTEXT"]);
	if (!model || !wire || !url || !URL.canParse(url) || !token || !contextWindow) return undefined;
	const idleMs = wholeNumber(env["ATELIER_MODEL_IDLE_MS"]) ?? defaultIdleMs;
	const stateFolder = env["ATELIER_AGENT_STATE"] || undefined;
	return { model, wire, url: baseUrl(url), token, contextWindow, idleMs, stateFolder };
}

/** Reads a positive whole number. */
function wholeNumber(text: string | undefined): number | undefined {
	const value = Number(text || Number.NaN);
	return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
