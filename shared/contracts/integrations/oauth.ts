/**
 * The contract of logins at the services that integrations connect to (RFC 6749). The tokens come in by the provider's
 * answer, become a credential of the person, and never go out.
 */
import { defineContract, defineEvent } from "../contract.ts";
import { schema } from "#shared/base/schema/schema.ts";
import { text } from "../field-rules.ts";

const slug = { type: "string", min: 1, max: 100 } as const;
const param = { type: "string", min: 1, max: 4_096 } as const;

/** The parameters that a provider sends with a redirect; others are ignored. */
const redirect = {
	code: { ...param, optional: true, description: "The code; absent in a redirect that tells of an error" },
	state: param,
	iss: { ...param, optional: true, description: "The issuer, which has to be the expected one (RFC 9207)" },
	error: { ...param, max: 200, optional: true, description: "Why the provider did not grant access" },
	confirm: { ...param, max: 100, optional: true, description: "The person has confirmed who is being connected" },
} as const;

export const oauth = defineContract("oauth", {
	authorize: {
		rest: "GET /integrations/oauth/:slug/authorize",
		effect: "write",
		idempotent: false,
		browser: "marks",
		summary: "Begin a login at the provider of an integration; the answer's URL is for a browser",
		params: { slug },
		returns: { type: "object", props: { url: text } },
		errors: [400, 404, 503],
	},
	callback: {
		rest: "GET /integrations/oauth/callback",
		access: "public",
		idempotent: false,
		browser: "reads",
		produces: "text/html",
		summary: "The provider redirects a browser to this page, which connects the integration and closes itself",
		params: redirect,
		returns: { type: "object", props: { html: text, policy: text } },
		errors: [400, 502, 503],
	},
	disconnect: {
		rest: "POST /integrations/oauth/:slug/disconnect",
		summary: "Revoke the tokens at the provider as far as it does that, and remove credential and connection",
		params: { slug },
		errors: [404, 503],
	},
});

/** A person's tokens are new. A pod manager that misses the event finds them when it looks by itself. */
export const tokensRenewed = defineEvent("tokens.renewed", schema({ tenant: text, owner: text }));
