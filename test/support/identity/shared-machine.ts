/**
 * The identity `oidc` with several tenants on a machine where pods are not isolated. An installation refuses that; these
 * tests start no agents that could misuse it.
 */
import { OidcIdentity } from "#services/gateway/identity-providers/oidc.ts";

export class SharedMachineIdentity extends OidcIdentity {
	static override readonly trustsCallers = true;
}
