/** Finds the sessions whose pods may have read a credential. */
import type { AffectedSession } from "#shared/contracts/credentials/credentials.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { sessionWork } from "#shared/contracts/sessions/session-work.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { readPages } from "#shared/store/pages/read-pages.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";

/** The statuses in which a session may have a pod. */
const withPods = ["starting", "provisioning", "running", "stopping"] as const;
const maxSessions = 100;
const pageSize = 200;

/** A credential of a person, or of the tenant when `owner` is absent. */
export type SoughtCredential = ParamsOf<typeof sessionWork.actions.with_credential>;

/** Returns the sessions that name the credential, or that got it by a connection of their owner, at most 100. */
export async function sessionsWithCredential(store: Documents, sought: SoughtCredential): Promise<AffectedSession[]> {
	const affected: AffectedSession[] = [];
	for (const status of withPods) {
		for await (const document of withStatus(store, sought, status)) {
			if (affected.length >= maxSessions) return affected;
			if (hasCredential(document, sought)) affected.push(nameOf(document));
		}
	}
	return affected;
}

async function* withStatus(
	store: Documents,
	{ tenant, owner }: SoughtCredential,
	status: string,
): AsyncGenerator<SessionDocument> {
	const index = owner === undefined ? "tenant_status" : "owner_status";
	const equals = owner === undefined ? [tenant, status] : [tenant, owner, status];
	for await (const page of readPages(store, sessionCollection, index, { equals, limit: pageSize })) yield* page;
}

function hasCredential({ owner, launch }: SessionDocument, sought: SoughtCredential): boolean {
	const { credential_names = [], integration_ids = [] } = (launch ?? {}) as Partial<LaunchSettings>;
	if (credential_names.includes(sought.credential_name)) return true;
	const own = sought.connections.filter((connection) => connection.owner === owner);
	if (integration_ids.length === 0) return own.some(({ unnamed }) => unnamed);
	return own.some(({ id }) => integration_ids.includes(id));
}

function nameOf({ id, wire }: SessionDocument): AffectedSession {
	const { name } = JSON.parse(wire) as Session;
	return { id, name };
}
