/**
 * The contract of models that sessions may use. The process that starts pods answers, because it knows which keys are
 * set.
 */
import { defineContract } from "./contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "./page-fields.ts";
import { modelLocations } from "./sessions/usage.ts";
import { dollars, nullableText, text, texts } from "./field-rules.ts";

const model = schema({
	id: text,
	aliases: { type: "array", items: text, description: "Other names of it in requests; a session has the id" },
	name: text,
	description: text,
	provider: { type: "enum", values: modelLocations, description: "The place where the model runs" },
	tier: { type: "enum", values: ["frontier", "balanced", "execution", "reasoning"] },
	color: { ...text, description: "CSS colour" },
	cost_per_million_tokens: { ...dollars, nullable: true, description: "US dollars for input; null: no price" },
	vram_required: nullableText,
	prices: {
		type: "object",
		nullable: true,
		props: { input: dollars, output: dollars, cache_read: dollars, cache_write: dollars },
		description: "US dollars per million tokens",
	},
	formats: { ...texts, description: "Wire formats of its provider; an agent needs one of them" },
	available: {
		type: "boolean",
		description: "Whether the platform has the key that the provider requires, or the local server accepts connections",
	},
	unavailable_reason: { ...nullableText, description: "The reason, as a sentence, why the model cannot be used now" },
});
export type Model = Output<typeof model>;

export const models = defineContract("models", {
	list: {
		rest: "GET /models",
		summary: "Models that sessions may use, with prices",
		params: pageParams,
		...pageOf({ type: "object", props: model }),
		errors: [503],
	},
});
