/** The provider of one integration's logins: its URLs from the catalogue, our client from the configuration. */
import type { Config } from "#shared/config/config.ts";
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";

export type OAuthDefinition = NonNullable<IntegrationDefinition["oauth"]>;

/** The platform's own registration at a provider; without a secret it is a public client. */
export type OAuthClient = Pick<Config["oauth"]["clients"][string], "client_id" | "client_secret" | "auth_method">;

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
