/** The contract of identity: the caller, and the issuer of identities. */
import { defineContract } from "../contract.ts";
import { text } from "../field-rules.ts";

export const identity = defineContract("identity", {
	auth_config: {
		rest: "GET /auth/config",
		access: "public",
		summary: "OpenID configuration for client auto-discovery",
		params: {},
		returns: {
			type: "object",
			props: {
				issuer: text,
				client_id: text,
				scopes: { type: "string", description: "Separated by blanks" },
				device_authorization_supported: { type: "boolean" },
			},
		},
		errors: [404],
	},
});
