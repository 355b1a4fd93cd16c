/** Asks which of the credentials and connections that a session names can be used. */
import { type Owner, systemPrincipal } from "#shared/base/principal.ts";
import { call, type RequestContext } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";
import { connections } from "#shared/contracts/integrations/connections.ts";

const job = vouch(systemPrincipal("sessions"));

/** The credentials that a session names, as they are when it is made. */
interface NamedCredentials {
	/** Those that are the tenant's. The session uses these, and its owner's own ones of the other names. */
	readonly tenantCredentials: readonly string[];
	readonly warnings: readonly string[];
}

/**
 * Returns whose the credentials are, with warnings about those that do not exist. A session is made without them, also when
 * that cannot be found out now (specification, Credential storage 5).
 */
export async function namedCredentials(
	credential_names: string[],
	{ tenant, id: owner }: Owner,
	ctx: RequestContext,
): Promise<NamedCredentials> {
	if (credential_names.length === 0) return { tenantCredentials: [], warnings: [] };
	const asked = { tenant, owner, credential_names };
	try {
		const { missing, ...found } = await call(ctx.broker, injection.actions.whose, asked, { meta: metaOf(ctx) });
		const warnings = missing.map((name) => `credential_names: credential "${name}" does not exist`);
		return { tenantCredentials: found.tenant, warnings };
	} catch {
		// The credentials service is not there, which the launch will find out too.
		const sentence = "whether these credentials exist could not be checked; the session uses your own ones only";
		return { tenantCredentials: [], warnings: [`credential_names: ${sentence}`] };
	}
}

/** Returns warnings about connections that the session cannot use; it is made without them, too. */
export async function integrationWarnings(
	integration_ids: readonly string[],
	{ tenant, id: owner }: Owner,
	ctx: RequestContext,
): Promise<string[]> {
	if (integration_ids.length === 0) return [];
	const asked = { tenant, owner, integration_ids: integration_ids.slice(0, 100) };
	try {
		const sentences = await call(ctx.broker, connections.actions.unusable, asked, { meta: metaOf(ctx) });
		return sentences.map((sentence) => `integration_ids: ${sentence}`);
	} catch {
		return ["integration_ids: whether these connections exist could not be checked"];
	}
}

function metaOf({ meta: { request_id, deadline } }: RequestContext) {
	return { principal: job, ...(request_id && { request_id }), ...(deadline && { deadline }) };
}
