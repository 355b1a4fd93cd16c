/**
 * Offers the secrets of launches to the platform's own services. The sessions and connections of people who are no
 * members any more get none.
 */
import type { Service, ServiceSchema } from "moleculer";
import { departedOwners } from "#shared/bus/departed-owners.ts";
import { type Caller, implement } from "#shared/bus/service.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import type { LaunchSecrets } from "./injection/launch-secrets.ts";

export function injectionService(secrets: LaunchSecrets): ServiceSchema {
	let bus: Caller | undefined;
	const departed = departedOwners(() => bus);
	return {
		name: injection.name,
		actions: implement(injection, {
			async prepare({ credential_names, tenant_credentials, mappings, session_id, tenant, owner }) {
				const person = { tenant, owner };
				if (await departed.has(person))
					throw new ForbiddenError("The owner is no member of the tenant any more", "OWNER_GONE");
				return secrets.prepare(person, session_id, { names: credential_names, ofTenant: tenant_credentials }, mappings);
			},
			values: async ({ names, ...person }) => ((await departed.has(person)) ? [] : secrets.values(person, names)),
			whose: ({ credential_names, ...person }) => secrets.whose(person, credential_names),
		}),

		async started(this: Service) {
			bus = this.broker;
		},
	};
}
