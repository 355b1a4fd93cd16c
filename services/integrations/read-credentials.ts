/** Asks the credentials service for values. They are handed to those who use them and kept nowhere here. */
import { systemPrincipal } from "#shared/base/principal.ts";
import { call, type Meta, type RequestContext } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";
import type { ReadCredentials } from "./connection-uses/connection-uses.ts";

const job = vouch(systemPrincipal("integrations"));

export function readCredentials(ctx: RequestContext): ReadCredentials {
	return ({ tenant, id: owner }, names) =>
		call(ctx.broker, injection.actions.values, { tenant, owner, names: [...names] }, { meta: jobMeta(ctx) });
}

/** Returns the metadata of a call by the platform itself: its answers must not replace the context's principal. */
export function jobMeta({ meta: { request_id, deadline } }: RequestContext): Meta {
	return { principal: job, ...(request_id && { request_id }), ...(deadline && { deadline }) };
}
