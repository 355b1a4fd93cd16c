/** Offers credentials on the bus; values come in and never go out. */
import type { ServiceSchema } from "moleculer";
import { enterBegun } from "#shared/bus/enter-begun.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import { call, serviceOf, type RequestContext } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import { type AffectedSession, type CredentialCreate, credentials } from "#shared/contracts/credentials/credentials.ts";
import { connections } from "#shared/contracts/integrations/connections.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import type { CredentialRecords } from "./credential-records.ts";
import { type CredentialOwner, personOf, tenantOf } from "./store/credential-owner.ts";
import { foreignWarnings } from "./types/credential-variables.ts";
import { secretTypeInfos } from "./types/secret-type-table.ts";

const job = vouch(systemPrincipal("credentials"));

/** The time limit of the question which sessions have a credential, in milliseconds. */
const affectedMs = 2_000;

/** The most names of fields in an entry of the audit log; a credential has no more. */
const maxEnteredKeys = 50;
/** The most sentences about fields in an answer. */
const maxWarnings = 10;

export function credentialsService(records: CredentialRecords): ServiceSchema {
	return serviceOf(credentials, {
		async types(page, _principal, { meta }) {
			const position = ({ type }: { type: string }) => ({ value: type, id: type });
			return memoryPage(secretTypeInfos(), position, { ...page, known: meta.if_none_match });
		},

		list: (query, principal, ctx) => list(records, personOf(principal), query, ctx),
		create: (request, principal, ctx) => put(records, personOf(principal), request, ctx),

		async get({ name }, principal) {
			const found = await records.get(personOf(principal), name);
			if (!found) throw unknown(name);
			return found;
		},

		delete: ({ name }, principal, ctx) => remove(records, personOf(principal), name, ctx),

		list_tenant: (query, principal, ctx) => list(records, tenantOf(principal.tenant), query, ctx),
		async create_tenant(request, principal, ctx) {
			const credential = await put(records, tenantOf(principal.tenant), request, ctx);
			const fields = Object.keys(request.data);
			return { credential, warnings: foreignWarnings({ ...credential, fields }).slice(0, maxWarnings) };
		},
		delete_tenant: ({ name }, principal, ctx) => remove(records, tenantOf(principal.tenant), name, ctx),
	});
}

type ListQuery = ParamsOf<typeof credentials.actions.list>;

async function list(
	records: CredentialRecords,
	owner: CredentialOwner,
	{ secret_type, ...page }: ListQuery,
	{ meta }: RequestContext,
) {
	const all = await records.list(owner);
	const chosen = secret_type === undefined ? all : all.filter((entry) => entry.secret_type === secret_type);
	return memoryPage(chosen, ({ name }) => ({ value: name, id: name }), { ...page, known: meta.if_none_match });
}

async function put(records: CredentialRecords, owner: CredentialOwner, request: CredentialCreate, ctx: RequestContext) {
	// People of the tenant get what the administrator writes, so the names of its fields are entered; values never are.
	const changed = owner.type === "tenant" ? { keys: Object.keys(request.data).slice(0, maxEnteredKeys) } : undefined;
	await enterBegun(ctx.broker, resourceOf(owner, request.name), changed);
	return records.put(owner, request);
}

function resourceOf({ type }: CredentialOwner, name: string): string {
	return type === "user" ? `credentials/${name}` : `tenant-credentials/${name}`;
}

/**
 * Deletes a credential; resolves to the sessions that run with it, or to null when there are none. The deletion does not
 * wait for the answer to that question: a credential that leaked must go at once.
 */
async function remove(records: CredentialRecords, owner: CredentialOwner, name: string, ctx: RequestContext) {
	if (!(await records.get(owner, name))) throw unknown(name);
	await enterBegun(ctx.broker, resourceOf(owner, name));
	if (!(await records.delete(owner, name))) throw unknown(name);
	const affected_sessions = await affected(owner, name, ctx).catch(() => null);
	return affected_sessions?.length === 0 ? null : { affected_sessions };
}

async function affected(
	{ type, tenant, id }: CredentialOwner,
	name: string,
	{ broker, meta }: RequestContext,
): Promise<AffectedSession[]> {
	const { request_id } = meta;
	const asked = { tenant, credential_name: name, ...(type === "user" && { owner: id }) };
	const options = { meta: { principal: job, ...(request_id && { request_id }) }, timeout: affectedMs };
	const naming = await call(broker, connections.actions.naming, asked, options);
	return call(broker, sessionWork.actions.with_credential, { ...asked, connections: naming }, options);
}

function unknown(name: string): NotFoundError {
	return new NotFoundError(`Credential "${name}" does not exist`, "CREDENTIAL_NOT_FOUND");
}
