/** Offers the issuer of identities on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import type { Config } from "#shared/config/config.ts";
import { identity } from "#shared/contracts/identity/identity.ts";
import { NotFoundError } from "#shared/base/errors.ts";

/** The issuer is the one for clients, or else the one whose tokens the configured identity accepts. */
export function identityService(config: Pick<Config, "auth_discovery" | "identity">): ServiceSchema {
	const { issuer: named, cli_client_id, scopes } = config.auth_discovery;
	const accepted: unknown = config.identity.kwargs["issuer"];
	const issuer = named === "" && typeof accepted === "string" ? accepted : named;
	return serviceOf(identity, {
		async auth_config() {
			if (issuer === "")
				throw new NotFoundError("This server has no OpenID issuer (auth_discovery.issuer)", "NO_ISSUER");
			return { issuer, client_id: cli_client_id, scopes, device_authorization_supported: true };
		},
	});
}
