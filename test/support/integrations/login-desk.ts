/** The logins of a platform over a real provider and a real store: two processes of it share the store. */
import type { OAuthProviders } from "#services/integrations/oauth/oauth-providers.ts";
import type { Person } from "#services/integrations/oauth/oauth-definition.ts";
import { OAuthGrants } from "#services/integrations/oauth/oauth-grants.ts";
import { OAuthLogins } from "#services/integrations/oauth/oauth-logins.ts";
import { OAuthProviders as Providers } from "#services/integrations/oauth/oauth-providers.ts";
import { OAuthRefresh } from "#services/integrations/oauth/oauth-refresh.ts";
import { OAuthStates } from "#services/integrations/oauth/oauth-states.ts";
import { ProviderClient } from "#services/integrations/oauth/provider-client.ts";
import { definitionFields, type IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { oauthClient, type OAuthServer } from "../identity/oauth-server.ts";
import { MemoryTokens } from "./memory-tokens.ts";

/** The slug of the only integration. */
export const slug = "forge";

/** The address to which the provider redirects. */
export const redirectUri = "http://127.0.0.1:4999/api/v1/svc/integrations/oauth/callback";

/** The differences of one desk. */
export interface DeskOptions {
	readonly store: DocumentStore;
	readonly server: OAuthServer;
	readonly kept?: MemoryTokens;
	readonly trustsCallers?: boolean;
	readonly oauth?: Readonly<Record<string, unknown>>;
	readonly auth_method?: "post" | "basic";
}

/** One process that serves logins. */
export class LoginDesk {
	readonly kept: MemoryTokens;
	readonly logins: OAuthLogins;
	readonly refresh: OAuthRefresh;
	readonly states: OAuthStates;
	readonly grants: OAuthGrants;
	/** The people whose tokens were renewed, in order. */
	readonly renewed: Person[] = [];
	/** The sentences of the log. */
	readonly logged: string[] = [];
	readonly #outbound = new Outbound({ allow: [], ports: [], refuse: [], proxy: "", proxy_resolves: false });

	constructor({ store, server, kept = new MemoryTokens(), trustsCallers = false, ...more }: DeskOptions) {
		this.kept = kept;
		this.states = new OAuthStates(store);
		this.grants = new OAuthGrants(store);
		const client = { ...oauthClient, client_secret_env: "", auth_method: more.auth_method ?? ("post" as const) };
		const providers: OAuthProviders = new Providers(async () => definitions(server, more.oauth), { [slug]: client });
		const shared = {
			grants: this.grants,
			client: new ProviderClient(this.#outbound),
			tokens: kept,
			onRenewed: ({ tenant, owner }: Person) => void this.renewed.push({ tenant, owner }),
		};
		const log = { error: (sentence: string) => void this.logged.push(sentence) };
		this.refresh = new OAuthRefresh({ ...shared, providerOf: (name) => providers.find(name), log });
		this.logins = new OAuthLogins({
			...shared,
			states: this.states,
			connections: kept,
			key: new InstallationKey(Buffer.alloc(32, 5)),
			providers,
			redirectUri: () => redirectUri,
			trustsCallers,
		});
	}

	/** Begins a login in a browser, goes to the provider and returns its redirect. */
	async approved(server: OAuthServer, person: Person, browser?: string, name = person.owner): Promise<URLSearchParams> {
		const back = await server.approve(await this.logins.begin(person, slug, browser), name);
		return back.searchParams;
	}

	/** Ends a login with the parameters of a redirect. */
	end(parameters: URLSearchParams, browser?: string) {
		const [code, state = "", iss, error, confirm] = ["code", "state", "iss", "error", "confirm"].map(
			(name) => parameters.get(name) ?? undefined,
		);
		return this.logins.end({ code, state, iss, error, confirm }, browser);
	}

	close(): void {
		this.#outbound.close();
	}
}

const check = compileSchema(definitionFields);

function definitions(server: OAuthServer, oauth: Readonly<Record<string, unknown>> = {}) {
	const definition = {
		slug,
		name: "Forge",
		integration_type: "code_forge",
		credential_schema: { properties: { token: {} } },
		auth_type: "oauth2_authorization_code",
		oauth: { ...server.definition, token_field_mapping: { token: "access_token" }, ...oauth },
	};
	const failures = check(definition);
	if (failures.length > 0) throw new TypeError(JSON.stringify(failures));
	return new Map([[slug, definition as unknown as IntegrationDefinition]]);
}
