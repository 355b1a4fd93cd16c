/** The providers of logins: definitions of the catalogue for which the configuration has a client. */
import { type Config, environmentSecret } from "#shared/config/config.ts";
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import { BadRequestError, NotFoundError } from "#shared/base/errors.ts";
import type { OAuthDefinition, OAuthProvider } from "./oauth-definition.ts";

/** Returns the present definitions by slug. */
type ReadDefinitions = () => Promise<ReadonlyMap<string, IntegrationDefinition>>;

export class OAuthProviders {
	readonly #definitions: ReadDefinitions;
	readonly #clients: Config["oauth"]["clients"];

	constructor(definitions: ReadDefinitions, clients: Config["oauth"]["clients"]) {
		this.#definitions = definitions;
		this.#clients = clients;
	}

	/**
	 * Returns the provider of an integration.
	 * @throws {NotFoundError} for an unknown one, and for one without logins; {BadRequestError} for one without a client.
	 */
	async require(slug: string): Promise<OAuthProvider> {
		const definition = (await this.#definitions()).get(slug);
		if (!definition?.oauth) throw new NotFoundError(`There is no integration "${slug}" with a login`, "OAUTH_UNKNOWN");
		const provider = this.#providerOf(definition, definition.oauth);
		if (!provider) throw new BadRequestError(`The configuration has no OAuth client for "${slug}"`, "OAUTH_CLIENT");
		return provider;
	}

	/** Returns the provider of an integration; undefined when it cannot be used for logins. */
	async find(slug: string): Promise<OAuthProvider | undefined> {
		const definition = (await this.#definitions()).get(slug);
		return definition?.oauth && this.#providerOf(definition, definition.oauth);
	}

	#providerOf({ slug, name }: IntegrationDefinition, definition: OAuthDefinition): OAuthProvider | undefined {
		const configured = Object.hasOwn(this.#clients, slug) ? this.#clients[slug] : undefined;
		if (!configured) return undefined;
		const { client_id, client_secret, client_secret_env, auth_method } = configured;
		const secret =
			client_secret !== "" || client_secret_env === "" ? client_secret : environmentSecret(client_secret_env);
		return { slug, name, definition, client: { client_id, client_secret: secret, auth_method } };
	}
}
