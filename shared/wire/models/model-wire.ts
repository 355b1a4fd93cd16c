/** The wire formats that model providers speak, named after their inventors. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { count, text } from "#shared/contracts/field-rules.ts";

/**
 * The formats, with the path behind the endpoint's URL: `openai-chat` `/chat/completions`, `openai-responses`
 * `/responses`, `anthropic` `/v1/messages`, `gemini` `/v1beta/models/<model>:generateContent` (or
 * `:streamGenerateContent`).
 */
export const modelWires = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type ModelWire = (typeof modelWires)[number];

const endpoint = { type: "string", optional: true } as const;
const tokens = { ...count, max: Number.MAX_SAFE_INTEGER } as const;

export const modelRefusalFields = schema({
	/** The model's name in the session. */
	model: text,
	/** A sentence for the session's owner. */
	reason: text,
	/** The formats of its provider; empty when the model is unknown. */
	wires: { type: "array", items: { type: "enum", values: modelWires } },
});
export type ModelRefusal = Output<typeof modelRefusalFields>;

/** The terms of a model: all that a session agent needs to use it at a provider that it reaches already. */
export const modelTermsFields = schema({
	/** Id of the provider in the catalogue. */
	provider: text,
	/** Whether the provider runs elsewhere or on this machine; `local` is never priced. */
	location: { type: "enum", values: ["cloud", "local"] },
	/** The model's name at the provider. */
	model: text,
	/** Tokens the model reads at most. */
	context_window: tokens,
	/** TokenPrices (token-counts.ts); absent: the model is not priced. */
	prices: {
		type: "object",
		optional: true,
		props: { input: tokens, output: tokens, cache_read: tokens, cache_write: tokens },
	},
});
export type ModelTerms = Output<typeof modelTermsFields>;

/** The access to the model of one session. Only the session agent gets it, because it contains the key. */
export const modelAccessFields = schema({
	...modelTermsFields,
	/** URL prefixes without a slash at the end. */
	endpoints: {
		type: "object",
		props: { "openai-chat": endpoint, "openai-responses": endpoint, anthropic: endpoint, gemini: endpoint },
	},
	/** The provider's key; empty when it needs none. */
	key: text,
});
export type ModelAccess = Output<typeof modelAccessFields>;
