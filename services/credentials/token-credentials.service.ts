/** Offers the credentials of logins to the platform's own services. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { tokenCredentials } from "#shared/contracts/credentials/token-credentials.ts";
import type { CredentialRecords } from "./credential-records.ts";
import { personOf } from "./store/credential-owner.ts";

export function tokenCredentialsService(records: CredentialRecords): ServiceSchema {
	return serviceOf(tokenCredentials, {
		read: ({ tenant, owner: id, name }) => records.values(personOf({ tenant, id }), name),

		async put({ tenant, owner: id, ...credential }) {
			await records.put(personOf({ tenant, id }), { ...credential, secret_type: "oauth_token" });
		},

		delete: ({ tenant, owner: id, name }) => records.delete(personOf({ tenant, id }), name),
	});
}
