/** The configuration of logins at the services that integrations connect to. */
import { schema } from "#shared/base/schema/schema.ts";
import { section, text } from "./field-rules.ts";

const client = schema({
	client_id: { type: "string", min: 1, max: 500 },
	client_secret: { type: "string", max: 2_000, default: "" },
	/** The environment variable with the secret, for slugs that no variable of the configuration can name. */
	client_secret_env: { type: "string", max: 200, default: "" },
	/** How the client proves itself at the token URL (RFC 6749 section 2.3.1). */
	auth_method: { type: "enum", values: ["post", "basic"], default: "post" },
});

export const oauthFields = schema({
	redirect_base_url: {
		...text,
		pattern: "^$|^https?://[^/]+$",
		description:
			"URL of the gateway to which providers redirect browsers after an OAuth login; empty: `gateway.public_url`, or the address it listens on",
	},
	clients: {
		type: "record",
		key: { type: "string" },
		value: section(client),
		default: {},
		description:
			"OAuth clients by the slug of their integration: `client_id`, `client_secret` (better set by `OAUTH__CLIENTS__<SLUG>__CLIENT_SECRET` or `client_secret_env`), `auth_method` (`post` or `basic`)",
	},
});
