/** Offers the issuer of identities on the bus. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import type { Config } from "#shared/config/config.ts";
import { identity } from "#shared/contracts/identity.ts";
import { NotFoundError } from "#shared/errors.ts";

export function identityService({ issuer, cli_client_id, scopes }: Config["auth_discovery"]): ServiceSchema {
	return {
		name: identity.name,
		actions: implement(identity, {
			async auth_config() {
				if (issuer === "")
					throw new NotFoundError("This server has no OpenID issuer (auth_discovery.issuer)", "NO_ISSUER");
				return { issuer, client_id: cli_client_id, scopes, device_authorization_supported: true };
			},
		}),
	};
}
