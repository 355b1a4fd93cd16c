/** The provider of one integration's logins: its URLs from the catalogue, our client from the configuration. */

/** The member `oauth` of an integration's definition. */
export interface OAuthDefinition {
	readonly authorize_url: string;
	readonly token_url: string;
	/** Empty: the provider revokes no tokens on request. */
	readonly revoke_url: string;
	readonly scopes: readonly string[];
	/** The member of the token answer for each field of the credential; empty: `access_token` alone. */
	readonly token_field_mapping: Readonly<Record<string, string>>;
	readonly extra_authorize_params: Readonly<Record<string, string>>;
	readonly extra_token_params: Readonly<Record<string, string>>;
	/** The issuer that the provider names in its redirects (RFC 9207); empty: it names none. */
	readonly issuer: string;
}

/** The platform's own registration at a provider. */
export interface OAuthClient {
	readonly client_id: string;
	/** Empty: a public client. */
	readonly client_secret: string;
	readonly auth_method: "post" | "basic";
}

export interface OAuthProvider {
	readonly slug: string;
	/** The name of the integration for people. */
	readonly name: string;
	readonly definition: OAuthDefinition;
	readonly client: OAuthClient;
}

/** Somebody who connects an integration. */
export interface Person {
	readonly tenant: string;
	readonly owner: string;
}
