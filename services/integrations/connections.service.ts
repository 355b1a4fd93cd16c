/** Offers people's connections to the platform's own services. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { connections } from "#shared/contracts/integrations/connections.ts";
import type { Owner } from "#shared/base/principal.ts";
import { readCredentials } from "./read-credentials.ts";
import type { ConnectionUses } from "./connection-uses/connection-uses.ts";

/** Replaces the tokens of a person's logins that end soon. */
export type Freshen = (owner: Owner) => Promise<void>;

export function connectionsService(uses: ConnectionUses, freshen: Freshen): ServiceSchema {
	return serviceOf(connections, {
		async usable({ tenant, owner: id, integration_type: type, ids }, _principal, ctx) {
			await freshen({ tenant, id });
			return uses.usable({ tenant, id }, { type, ids }, readCredentials(ctx));
		},

		async launch({ tenant, owner: id, integration_ids, repositories }) {
			await freshen({ tenant, id });
			return uses.launch({ tenant, id }, integration_ids, repositories);
		},

		connected: ({ people }) => uses.connected(people),
		unusable: ({ tenant, owner: id, integration_ids }) => uses.unusable({ tenant, id }, integration_ids),
		naming: ({ tenant, owner, credential_name }) => uses.naming(tenant, owner, credential_name),
	});
}
