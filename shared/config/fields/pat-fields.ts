/** The configuration of personal access tokens. */
import { bound } from "#shared/base/bounds.ts";
import { schema } from "#shared/base/schema/schema.ts";
import { freeForm, text, whole } from "./field-rules.ts";

export const patFields = schema({
	token_issuer_adapter: {
		...text,
		pattern: "^$|^[\\w./-]+\\.ts#\\w+$",
		description:
			"Issuer of personal access tokens, as the identity provider's `services/pat/token-issuers/token-exchange.ts#TokenExchange`; empty: the platform itself with the identity `dev`, otherwise none",
	},
	token_issuer_kwargs: {
		...freeForm,
		description:
			"Arguments of the issuer. Of `TokenExchange`: `token_url`, `client_id`, `client_secret` (better set by the environment variable `PAT__TOKEN_ISSUER_KWARGS__CLIENT_SECRET`), `audience`",
	},
	ttl_days: { ...whole, min: 1, max: 365, default: 365, description: "Longest life of a new token in days" },
	confirmed_within_days: {
		...whole,
		min: 1,
		max: 365,
		default: 30,
		description:
			"A token works for this many days after its person's last login, so that it ends when the provider knows the person no more; a login makes it work again",
	},
	revocation_cache_ttl: {
		...whole,
		min: 1,
		max: 5,
		default: 5,
		description: "Seconds for which a gateway remembers that a token is active",
	},
	max_per_user: { ...whole, min: 1, max: 1_000, default: bound.tokens, description: "Most tokens of one user" },
});
