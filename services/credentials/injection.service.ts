/** Offers the secrets of launches to the platform's own services. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";
import type { LaunchSecrets } from "./injection/launch-secrets.ts";

export function injectionService(secrets: LaunchSecrets): ServiceSchema {
	return {
		name: injection.name,
		actions: implement(injection, {
			prepare: ({ credential_names, mappings, session_id, ...person }) =>
				secrets.prepare(person, session_id, credential_names, mappings),
			values: ({ names, ...person }) => secrets.values(person, names),
			missing: ({ credential_names, ...person }) => secrets.missing(person, credential_names),
		}),
	};
}
