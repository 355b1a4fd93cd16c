/** The configuration of integrations. */
import { bound } from "#shared/base/bounds.ts";
import { schema } from "#shared/base/schema/schema.ts";

export const integrationFields = schema({
	folder: {
		type: "string",
		max: 4_096,
		default: "",
		description:
			"Folder with further definitions of integrations, from the project's root or absolute; one of the slug of a built-in one replaces it",
	},
	max_per_user: {
		type: "number",
		integer: true,
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
