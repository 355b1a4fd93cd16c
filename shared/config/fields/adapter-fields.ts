/** The fields with which the configuration names an adapter. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { freeForm, textMap } from "./field-rules.ts";

/** A module and its class, as a regular expression. */
export const adapterForm = "[\\w./-]+\\.ts#\\w+";

export const adapterFields = schema({
	adapter: {
		type: "string",
		pattern: `^${adapterForm}$`,
		description:
			"Module (a path from the project's root) and class, e.g. `services/gateway/identity-providers/token.ts#TokenIdentity`",
	},
	kwargs: { ...freeForm, description: "Arguments of the class" },
	secret_kwargs_env: {
		...textMap,
		description: "Arguments whose values are in environment variables: argument name to variable name",
	},
});
export type AdapterRef = Output<typeof adapterFields>;
