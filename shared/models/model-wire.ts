/** The wire formats a model provider may speak, named after whose they are. */
import type { TokenPrices } from "./token-counts.ts";

/**
 * What follows the endpoint's URL: `openai-chat` `/chat/completions`, `openai-responses` `/responses`,
 * `anthropic` `/v1/messages`, `gemini` `/v1beta/models/<model>:generateContent` (or `:streamGenerateContent`).
 */
export const modelWires = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type ModelWire = (typeof modelWires)[number];

/** Why the model that a session has cannot be used. */
export interface ModelRefusal {
	/** As the session names it. */
	model: string;
	/** A sentence for the session's owner. */
	reason: string;
	/** What its provider speaks; empty: nobody knows the model. */
	wires: ModelWire[];
}

/** Where the model of one session is reached; its key is told to the session agent only. */
export interface ModelAccess {
	/** Id of the provider in the catalogue. */
	provider: string;
	/** `local` is never priced. */
	location: "cloud" | "local";
	/** As the provider knows it. */
	model: string;
	/** URL prefixes without a slash at the end. */
	endpoints: { [W in ModelWire]?: string };
	/** Empty: the provider wants none. */
	key: string;
	/** Tokens the model reads at most. */
	context_window: number;
	/** Absent: the model is not priced. */
	prices?: TokenPrices;
}
