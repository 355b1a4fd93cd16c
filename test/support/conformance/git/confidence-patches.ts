/** Where merge confidence means to differ from the contract. */
import type { Patch } from "../contract-editor.ts";
import type { JsonSchema } from "../json-schema.ts";

const text: JsonSchema = { type: "string" };
const nullableText: JsonSchema = { type: ["string", "null"] };
const time: JsonSchema = { type: "string", format: "date-time" };

const proof: JsonSchema = {
	type: "object",
	required: ["what", "where", "when"],
	properties: { what: text, where: nullableText, when: { type: ["string", "null"], format: "date-time" } },
};

const weighedFactor: JsonSchema = {
	type: "object",
	required: ["factor", "weight", "value", "proofs"],
	properties: {
		factor: text,
		weight: { type: "number", minimum: 0, maximum: 1 },
		value: { type: "number", minimum: 0, maximum: 1 },
		proofs: { type: "array", items: proof },
	},
};

const outcome = {
	state: { enum: ["open", "merged", "closed"] },
	merged_at: { type: ["string", "null"] },
	reverted: { type: "boolean" },
	reverted_by: nullableText,
	checked_at: time,
} satisfies Record<string, JsonSchema>;

export const confidencePatches: readonly Patch[] = [
	{
		operation: "calculateConfidence",
		contract: "by the caller's facts only; nothing is kept",
		ours: "`repo_url`, `number`, `head_sha` name a pull request, whose evidence is judged; then no fact is required; the answer has `id`, `evaluated_at`, `evidence` and what was judged",
		apply(edit) {
			Object.assign(edit.properties("ConfidenceRequest"), {
				repo_url: nullableText,
				number: { type: ["integer", "null"], minimum: 1 },
				head_sha: nullableText,
			});
			Object.assign(edit.properties("MergeConfidenceResponse"), {
				id: { type: "string", format: "uuid" },
				repo_url: nullableText,
				number: { type: ["integer", "null"] },
				head_sha: nullableText,
				evidence: { type: "array", items: weighedFactor },
				evaluated_at: time,
				outcome: { type: ["object", "null"], properties: outcome },
			});
			edit.addError("calculateConfidence", "400", "No provider serves the repository");
			edit.addError("calculateConfidence", "404", "There is no such pull request");
			edit.addError("calculateConfidence", "409", "The head has moved, or the pull request is not open");
			for (const status of ["502", "503", "504"]) edit.addError("calculateConfidence", status, "The provider fails");
		},
	},
];
