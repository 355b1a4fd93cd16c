/** Finds the sessions whose pods may have read a credential. */
import type { AffectedSession } from "#shared/contracts/credentials/credentials.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { sessionCollection, type SessionDocument } from "../record/session-collection.ts";

/** The statuses in which a session may have a pod. */
const withPods = ["starting", "provisioning", "running", "stopping"] as const;
const maxSessions = 100;
const pageSize = 200;

/** A credential of a person, or of the tenant when `owner` is absent. */
export interface SoughtCredential {
	readonly tenant: string;
	readonly owner?: string | undefined;
	readonly credential_name: string;
}

/** Returns the sessions that name the credential, at most 100. */
export async function sessionsWithCredential(
	store: DocumentStore,
	sought: SoughtCredential,
): Promise<AffectedSession[]> {
	const affected: AffectedSession[] = [];
	for (const status of withPods) {
		for await (const document of withStatus(store, sought, status)) {
			if (affected.length >= maxSessions) return affected;
			if (names(document).includes(sought.credential_name)) affected.push(nameOf(document));
		}
	}
	return affected;
}

async function* withStatus(
	store: DocumentStore,
	{ tenant, owner }: SoughtCredential,
	status: string,
): AsyncGenerator<SessionDocument> {
	const index = owner === undefined ? "tenant_status" : "owner_status";
	const equals = owner === undefined ? [tenant, status] : [tenant, owner, status];
	let after: string | undefined;
	do {
		const page = { limit: pageSize, ...(after !== undefined && { after }) };
		const { documents, next } = await store.find(sessionCollection, index, { equals }, page);
		yield* documents;
		after = next;
	} while (after !== undefined);
}

function names({ launch }: SessionDocument): readonly unknown[] {
	const named =
		typeof launch === "object" && launch !== null && "credential_names" in launch ? launch.credential_names : [];
	return Array.isArray(named) ? named : [];
}

function nameOf({ id, wire }: SessionDocument): AffectedSession {
	const { name } = JSON.parse(wire) as Session;
	return { id, name };
}
