/** The contract of identity: the caller, and the issuer of identities. */
import { defineContract } from "../contract.ts";

export const identity = defineContract("identity", {
	auth_config: {
		rest: "GET /auth/config",
		access: "public",
		summary: "OpenID configuration for client auto-discovery",
		params: {},
		returns: {
			type: "object",
			props: {
				issuer: { type: "string" },
				client_id: { type: "string" },
				scopes: { type: "string", description: "Separated by blanks" },
				device_authorization_supported: { type: "boolean" },
			},
		},
		errors: [404],
	},
});
