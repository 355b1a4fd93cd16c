/** Where logins of integrations mean to differ from the contract. */
import type { JsonSchema } from "../json-schema.ts";
import type { Patch } from "../contract-editor.ts";

const text: JsonSchema = { type: "string" };

export const oauthPatches: readonly Patch[] = [
	{
		operation: "oauthAuthorize",
		contract: "the state is bound to nothing; any number wait; no PKCE",
		ours: "PKCE; a mark of the browser by `Set-Cookie`; ten logins of a person wait, 429 for more than 1,000 of a tenant; 503",
		apply: (edit) => edit.addError("oauthAuthorize", "429", "Too many logins of the tenant are under way"),
	},
	{
		operation: "oauthCallback",
		contract: "`code` and `state`; a refused exchange is a 500",
		ours: "also `iss` (RFC 9207), `error` in the place of `code`, and `confirm`: in another browser than the one that began, the page asks first; 400 for a refused exchange, 502 and 504 for a provider that fails, 409 for more than 100 connections, 503",
		apply(edit) {
			for (const name of ["iss", "error", "confirm"]) edit.addQuery("oauthCallback", name, text);
			for (const status of ["409", "502", "503", "504"]) edit.addError("oauthCallback", status, "The login failed");
		},
	},
	{
		operation: "oauthDisconnect",
		contract: "revocation with the access token",
		ours: "with the refresh token where there is one; 503 while tokens are being replaced",
		apply: (edit) => edit.addError("oauthDisconnect", "503", "The tokens are being replaced"),
	},
];
