/** The wire formats a model provider may speak, named after whose they are. */
import { type Output, schema } from "../bus/schema.ts";

/**
 * What follows the endpoint's URL: `openai-chat` `/chat/completions`, `openai-responses` `/responses`,
 * `anthropic` `/v1/messages`, `gemini` `/v1beta/models/<model>:generateContent` (or `:streamGenerateContent`).
 */
export const modelWires = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type ModelWire = (typeof modelWires)[number];

const text = { type: "string" } as const;
const endpoint = { type: "string", optional: true } as const;
const tokens = { type: "number", integer: true, min: 0, max: Number.MAX_SAFE_INTEGER } as const;

/** Why the model that a session has cannot be used. */
export const modelRefusalFields = schema({
	/** As the session names it. */
	model: text,
	/** A sentence for the session's owner. */
	reason: text,
	/** What its provider speaks; empty: nobody knows the model. */
	wires: { type: "array", items: { type: "enum", values: modelWires } },
});
export type ModelRefusal = Output<typeof modelRefusalFields>;

/** Where the model of one session is reached; its key is told to the session agent only. */
export const modelAccessFields = schema({
	/** Id of the provider in the catalogue. */
	provider: text,
	/** `local` is never priced. */
	location: { type: "enum", values: ["cloud", "local"] },
	/** As the provider knows it. */
	model: text,
	/** URL prefixes without a slash at the end. */
	endpoints: {
		type: "object",
		props: { "openai-chat": endpoint, "openai-responses": endpoint, anthropic: endpoint, gemini: endpoint },
	},
	/** Empty: the provider wants none. */
	key: text,
	/** Tokens the model reads at most. */
	context_window: tokens,
	/** TokenPrices (token-counts.ts); absent: the model is not priced. */
	prices: {
		type: "object",
		optional: true,
		props: { input: tokens, output: tokens, cache_read: tokens, cache_write: tokens },
	},
});
export type ModelAccess = Output<typeof modelAccessFields>;
