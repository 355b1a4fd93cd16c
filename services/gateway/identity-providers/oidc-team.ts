/**
 * Identity of a team that logs in at an OpenID provider and shares one machine: sessions run as processes of the
 * platform's user, so every member may have that user's rights (docs/identity.md).
 */
import { ConfigError } from "#shared/config/config.ts";
import { type OidcArguments, OidcIdentity } from "./oidc.ts";

/** The identity adapter for people who trust each other; all of them are in one tenant. */
export class OidcTeamIdentity extends OidcIdentity {
	static override readonly trustsCallers = true;
	static readonly sharesOneTenant = true;

	/** @throws {ConfigError} for several tenants, because sessions on one machine cannot be kept apart. */
	constructor(kwargs: OidcArguments) {
		if (kwargs["tenant_claim"] !== undefined)
			throw new ConfigError(
				`Configuration key "identity.kwargs.tenant_claim" cannot be set for a team on one machine; for several tenants whose people trust each other's code use "services/gateway/identity-providers/oidc.ts#OidcIdentity" with pods.people_share_a_machine (docs/identity.md)`,
			);
		super(kwargs);
	}
}
