/** The caller of a command, with the client's `Idempotency-Key` if it sent one. */
import type { Principal } from "#shared/base/principal.ts";
import type { RequestContext } from "#shared/bus/service.ts";
import type { Requester } from "../record/change-queue.ts";

export interface Commander extends Requester {
	readonly key?: string | undefined;
}

export function commander(principal: Principal, { meta }: RequestContext): Commander {
	return { principal, key: meta.idempotency_key, deadline: meta.deadline };
}
