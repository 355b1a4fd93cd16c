/** Makes definitions of logins for tests. */
import type { OAuthDefinition } from "#services/integrations/oauth/oauth-definition.ts";

/** Returns a definition with these members. */
export function definitionOf(members: Partial<OAuthDefinition> = {}): OAuthDefinition {
	return {
		authorize_url: "https://p.example/auth",
		token_url: "https://p.example/token",
		revoke_url: "",
		scopes: [],
		token_field_mapping: {},
		extra_authorize_params: {},
		extra_token_params: {},
		issuer: "",
		...members,
	};
}
