/** Creates the configured issuer of personal access tokens. */
import { loadAdapter, loadAdapterClass } from "#shared/config/adapter.ts";
import { type Config, ConfigError } from "#shared/config/config.ts";
import { type TokenIssuer, tokenIssuerMethods } from "./token-issuer.ts";

const ownIssuer = "services/pat/token-issuers/local-hs256.ts#LocalHs256";

/** The configured issuer, and the client that its tokens name. */
export interface OpenIssuer {
	readonly issuer: TokenIssuer;
	/** Absent: the platform itself is the issuer. */
	readonly clientId?: string | undefined;
}

/**
 * Returns the issuer; undefined when the installation has none. @throws {ConfigError} for tokens that the platform signs
 * itself with an identity that does not accept them.
 */
export async function openIssuer(
	{ pat, identity }: Pick<Config, "pat" | "identity">,
	localTokenKey: Buffer,
): Promise<OpenIssuer | undefined> {
	const { signsTokens } = await loadAdapterClass(identity);
	const adapter = pat.token_issuer_adapter || (signsTokens === true ? ownIssuer : "");
	if (adapter === "") return undefined;
	const { isLocal } = await loadAdapterClass({ adapter });
	if (isLocal === true && signsTokens !== true)
		throw new ConfigError(
			`Configuration key "pat.token_issuer_adapter" cannot be "${adapter}": identity "${identity.adapter}" does not accept tokens that the platform signs itself`,
		);
	const ref = { adapter, kwargs: pat.token_issuer_kwargs, secret_kwargs_env: {} };
	const issuer = await loadAdapter<TokenIssuer>(ref, tokenIssuerMethods, isLocal === true ? { localTokenKey } : {});
	return { issuer, clientId: isLocal === true ? undefined : String(pat.token_issuer_kwargs["client_id"]) };
}
