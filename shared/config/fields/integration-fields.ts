/** The configuration of integrations. */
import { bound } from "#shared/base/bounds.ts";
import { schema } from "#shared/base/schema/schema.ts";
import { text, whole } from "./field-rules.ts";

export const integrationFields = schema({
	folder: {
		...text,
		max: 4_096,
		description:
			"Folder with further definitions of integrations, from the project's root or absolute; one of the slug of a built-in one replaces it",
	},
	max_per_user: {
		...whole,
		min: 1,
		max: 500,
		default: bound.integrations,
		description: "Most connections of a person",
	},
	injected: {
		type: "enum",
		values: ["all", "named"],
		default: "all",
		description: "Connections that a session gets which names none: `all` enabled ones of its owner, or none (`named`)",
	},
});
