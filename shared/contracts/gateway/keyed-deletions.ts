/**
 * The contract of keyed deletions, which only the gateway calls: it notes a DELETE with an `Idempotency-Key` before it passes
 * it on, because nothing is left afterwards that could tell a repetition that it is one (decision 0110).
 */
import { defineContract } from "../contract.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";

const deletion = schema({
	action: {
		type: "string",
		max: 100,
		description: "Such as `prompts.delete`; keys of different actions are independent",
	},
	key: { type: "string", max: 64 },
	fingerprint: { type: "string", max: 100, description: "The digest of the other parameters" },
});
export type KeyedDeletion = Output<typeof deletion>;

export const keyedDeletions = defineContract("keyed-deletions", {
	note: {
		makes_room: true,
		summary: "Note a keyed deletion before it is tried; says whether the same one was noted before",
		params: deletion,
		returns: { type: "object", props: { is_repeated: { type: "boolean" } } },
	},
	forget: {
		makes_room: true,
		summary: "Forget a keyed deletion that was refused",
		params: deletion,
	},
});
