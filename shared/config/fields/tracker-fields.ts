/** The keys `linear.*` and `tracker.*` of the configuration: trackers of everybody who has no connection of their own. */
import { adapterFields } from "./adapter-fields.ts";
import { schema } from "#shared/base/schema/schema.ts";
import { flag, freeForm, text } from "./field-rules.ts";

export const linearFields = schema({
	enabled: { ...flag, description: "Whether everybody uses Linear with the platform's key" },
	api_key: {
		...text,
		max: 1_000,
		description: "Key of Linear; better set by the environment variable `LINEAR__API_KEY`",
	},
	api_url: {
		type: "string",
		max: 2_048,
		default: "https://api.linear.app/graphql",
		pattern: "^https?://",
		description: "GraphQL address of Linear",
	},
});

export const trackerFields = schema({
	adapter: {
		...text,
		pattern: "^$|^(linear|jira|github-issues)$|^[\\w./-]+\\.ts#\\w+$",
		description:
			"Tracker of everybody who has no connection of their own: `linear`, `jira`, `github-issues`, or a module and class; empty: that of `linear`, or none",
	},
	kwargs: {
		...freeForm,
		description:
			"Its arguments: of `linear` `api_key`; of `jira` `site_url`, `email`, `api_token`; of `github-issues` `token` (docs/trackers.md)",
	},
	secret_kwargs_env: adapterFields.secret_kwargs_env,
});
