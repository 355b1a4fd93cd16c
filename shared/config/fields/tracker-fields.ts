/** The keys `linear.*` and `tracker.*` of the configuration: trackers of everybody who has no connection of their own. */
import { schema } from "#shared/base/schema/schema.ts";

export const linearFields = schema({
	enabled: { type: "boolean", default: false, description: "Whether everybody uses Linear with the platform's key" },
	api_key: {
		type: "string",
		max: 1_000,
		default: "",
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
		type: "string",
		default: "",
		pattern: "^$|^(linear|jira|github-issues)$|^[\\w./-]+\\.ts#\\w+$",
		description:
			"Tracker of everybody who has no connection of their own: `linear`, `jira`, `github-issues`, or a module and class; empty: that of `linear`, or none",
	},
	kwargs: {
		type: "record",
		key: { type: "string" },
		value: { type: "any" },
		default: {},
		description:
			"Its arguments: of `linear` `api_key`; of `jira` `site_url`, `email`, `api_token`; of `github-issues` `token` (docs/trackers.md)",
	},
	secret_kwargs_env: {
		type: "record",
		key: { type: "string" },
		value: { type: "string" },
		default: {},
		description: "Arguments whose values are in environment variables: argument name to variable name",
	},
});
