/** Asks which of the credentials that a session names exist. */
import { systemPrincipal } from "#shared/bus/principal.ts";
import { call, type RequestContext } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";

const job = vouch(systemPrincipal("sessions"));

/**
 * Returns warnings about credentials that do not exist. A session is made without them, also when that cannot be found
 * out now (specification, Credential storage 5).
 */
export async function credentialWarnings(
	credential_names: string[],
	{ tenant, id: owner }: { readonly tenant: string; readonly id: string },
	{ broker, meta: { request_id, deadline } }: RequestContext,
): Promise<string[]> {
	if (credential_names.length === 0) return [];
	const meta = { principal: job, ...(request_id && { request_id }), ...(deadline && { deadline }) };
	try {
		const missing = await call(broker, injection.actions.missing, { tenant, owner, credential_names }, { meta });
		return missing.map((name) => `credential_names: credential "${name}" does not exist`);
	} catch {
		// The credentials service is not there, which the launch will find out too.
		return ["credential_names: whether these credentials exist could not be checked"];
	}
}
