/** Enters what a person is about to do with something that is not in the platform's store, e.g. a credential. */
import { systemPrincipal } from "#shared/base/principal.ts";
import { call, type Caller } from "./service.ts";
import { vouch } from "./vouched-principal.ts";
import { audit } from "#shared/contracts/audit.ts";
import { currentActor } from "#shared/base/actor.ts";

const job = vouch(systemPrincipal("audit"));

/**
 * Resolves when the entry is in the audit log, or at once when no person acts.
 * @param resource The object, e.g. `credentials/github`.
 * @param changed Members that the entry shows; never a secret.
 * @throws {UnavailableError} when it cannot be entered; the caller then changes nothing.
 */
export async function enterBegun(
	caller: Caller,
	resource: string,
	changed?: Readonly<Record<string, unknown>>,
): Promise<void> {
	const actor = currentActor();
	if (!actor || (actor.principal.kind !== "user" && actor.principal.kind !== "pat")) return;
	const { principal, action, request_id, address } = actor;
	const { kind, id, tenant } = { ...principal, kind: actor.principal.kind };
	const origin = { ...(request_id !== undefined && { request_id }), ...(address !== undefined && { address }) };
	const about = { resource, ...(changed && { changed: { ...changed } }) };
	const entry = { actor: { kind, id, tenant }, action, outcome: "begun", ...about, ...origin } as const;
	await call(caller, audit.actions.enter, entry, { meta: { principal: job } });
}
