/** The contract of personal access tokens: long-lived tokens with which a person's programs call the API. */
import { defineContract, defineEvent } from "../contract.ts";
import { schema, type Output } from "#shared/base/schema/schema.ts";
import { pageOf, pageParams } from "../page-fields.ts";
import { count, nullableTime, text, time } from "../field-rules.ts";

/** The scopes; each one includes those before it. */
export const tokenScopes = ["read", "write", "admin"] as const;
export type TokenScope = (typeof tokenScopes)[number];

const scope = { type: "enum", values: tokenScopes } as const;

/** A personal access token as its owner sees it; the token itself is not in it. */
export const personalToken = schema({
	id: text,
	name: text,
	created_at: time,
	last_used_at: { ...nullableTime, description: "Up to a minute old; null: never used" },
	expires_at: time,
	scope,
});
export type PersonalToken = Output<typeof personalToken>;

const { last_used_at: _neverUsed, ...created } = personalToken;

export const tokenCreate = schema({
	name: {
		type: "string",
		min: 1,
		max: 100,
		pattern: "^[a-zA-Z0-9][a-zA-Z0-9 _-]*$",
		words: "begin with a letter or digit, and have only letters, digits, blanks, hyphens and underscores",
		description: "Unique among the caller's tokens",
	},
	scope: {
		...scope,
		default: "write",
		description: "`write` includes `read`; `admin` includes both and needs the role of an administrator",
	},
	expires_in_days: {
		type: "number",
		integer: true,
		min: 1,
		max: 365,
		optional: true,
		description: "Default: as long as the issuer allows, 365 days",
	},
});
export type TokenCreate = Output<typeof tokenCreate>;

/** The state of a token, for the gateway that has verified its signature. */
export const activeToken = schema({
	id: text,
	tenant: text,
	owner: text,
	scope,
	/** Milliseconds since 1970. */
	expires_at: { type: "number" },
	/** The epoch of its owner's membership at its creation; absent: 0. */
	epoch: { ...count, optional: true },
});
export type ActiveToken = Output<typeof activeToken>;

const path = "//api/v1/users/tokens";

/** A viewer may have tokens, which then only read: `effect` says that no more than the right to read is needed. */
export const tokens = defineContract("tokens", {
	list: {
		rest: `GET ${path}`,
		access: "login",
		summary: "Personal access tokens of the caller, newest first",
		params: pageParams,
		...pageOf({ type: "object", props: personalToken }),
		errors: [400],
	},
	create: {
		rest: `POST ${path}`,
		access: "login",
		effect: "read",
		summary: "Issue a personal access token; the answer is the only one that shows it",
		example: { name: "laptop" },
		status: 201,
		params: tokenCreate,
		returns: { type: "object", props: { ...created, token: { type: "string", description: "The token" } } },
		errors: [409, 502, 503],
		passes_token: true,
	},
	revoke_all: {
		rest: `DELETE ${path}`,
		access: "login",
		effect: "read",
		summary: "Revoke all personal access tokens of the caller",
		params: {},
	},
	revoke: {
		rest: `DELETE ${path}/:pat_id`,
		access: "login",
		effect: "read",
		summary: "Revoke a personal access token",
		params: { pat_id: { type: "string", min: 1, max: 100 } },
		errors: [404],
	},
	check: {
		access: "system",
		summary: "The active token with this key; nothing for one that was never issued here, was revoked or has expired",
		params: { key: { type: "string", min: 1, max: 100 } },
		returns: { type: "object", props: { token: { type: "object", props: activeToken, optional: true } } },
		idempotent: true,
		timeout: 2_000,
	},
});

/** Tokens were revoked: whoever remembers that they were active forgets it. */
export const tokensRevoked = defineEvent("tokens.revoked", {
	keys: { type: "array", max: 1_000, items: { type: "string", max: 100 } },
});
