/** Composes the logins of integrations: what ends them, and what replaces their tokens. */
import type { Config } from "#shared/config/config.ts";
import { BadRequestError } from "#shared/base/errors.ts";
import { gatewayUrl } from "#shared/config/gateway-url.ts";
import type { StoringPlatform } from "#host/platform.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ConnectionRecords } from "./connections/connection-records.ts";
import { OAuthGrants } from "./oauth/oauth-grants.ts";
import { OAuthLogins } from "./oauth/oauth-logins.ts";
import { OAuthProviders } from "./oauth/oauth-providers.ts";
import { OAuthRefresh } from "./oauth/oauth-refresh.ts";
import { OAuthStates } from "./oauth/oauth-states.ts";
import { ProviderClient } from "./oauth/provider-client.ts";
import { OAuthConnections } from "./oauth-connections.ts";
import type { OAuthServiceDependencies } from "./oauth.service.ts";
import { OAuthTokens } from "./oauth-tokens.ts";

interface OAuthPart extends OAuthServiceDependencies {
	readonly refresh: OAuthRefresh;
}

export function oauthPart(platform: StoringPlatform, catalogue: Catalogue, records: ConnectionRecords): OAuthPart {
	const { config, store, key, outbound, log, trustsCallers } = platform;
	const providers = new OAuthProviders(() => catalogue.definitions(), config.oauth.clients);
	const tokens = new OAuthTokens();
	const states = new OAuthStates(store);
	const shared = {
		grants: new OAuthGrants(store),
		client: new ProviderClient(outbound),
		tokens,
		onRenewed: tokens.announce.bind(tokens),
	};
	const refresh = new OAuthRefresh({ ...shared, providerOf: (slug) => providers.find(slug), log });
	const connections = new OAuthConnections(records, catalogue);
	const redirectUri = () => redirectUriOf(config);
	const logins = new OAuthLogins({ ...shared, states, connections, key, providers, redirectUri, trustsCallers });
	return { logins, tokens, states, refresh };
}

/** Returns the address that is registered at every provider. @throws {BadRequestError} when it cannot be told. */
function redirectUriOf({ oauth, gateway }: Pick<Config, "oauth" | "gateway">): string {
	const base = oauth.redirect_base_url || gatewayUrl(gateway);
	if (base === undefined)
		throw new BadRequestError("The configuration has no oauth.redirect_base_url", "OAUTH_REDIRECT_URL");
	return `${base}/api/v1/${gateway.product}/integrations/oauth/callback`;
}
