/** The configuration of personal access tokens. */
import { bound } from "#shared/base/bounds.ts";
import { schema } from "#shared/base/schema/schema.ts";

export const patFields = schema({
	token_issuer_adapter: {
		type: "string",
		default: "",
		pattern: "^$|^[\\w./-]+\\.ts#\\w+$",
		description:
			"Issuer of personal access tokens, as the identity provider's `services/pat/token-issuers/token-exchange.ts#TokenExchange`; empty: the platform itself with the identity `dev`, otherwise none",
	},
	token_issuer_kwargs: {
		type: "record",
		key: { type: "string" },
		value: { type: "any" },
		default: {},
		description:
			"Arguments of the issuer. Of `TokenExchange`: `token_url`, `client_id`, `client_secret` (better set by the environment variable `PAT__TOKEN_ISSUER_KWARGS__CLIENT_SECRET`), `audience`",
	},
	ttl_days: {
		type: "number",
		integer: true,
		min: 1,
		max: 365,
		default: 365,
		description: "Longest life of a new token in days",
	},
	confirmed_within_days: {
		type: "number",
		integer: true,
		min: 1,
		max: 365,
		default: 30,
		description:
			"A token works for this many days after its person's last login, so that it ends when the provider knows the person no more; a login makes it work again",
	},
	revocation_cache_ttl: {
		type: "number",
		integer: true,
		min: 1,
		max: 5,
		default: 5,
		description: "Seconds for which a gateway remembers that a token is active",
	},
	max_per_user: {
		type: "number",
		integer: true,
		min: 1,
		max: 1_000,
		default: bound.tokens,
		description: "Most tokens of one user",
	},
});
