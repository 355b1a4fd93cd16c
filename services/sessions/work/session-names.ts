/**
 * The migration that gives sessions of the release before the column of their name, by which they are found. A session that
 * a process of that release changes beside it gets the column with its next change.
 */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { MigrationWork } from "#shared/store/migrations/migration.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { sessionCollection } from "../record/session-collection.ts";

/** The sessions of one step. */
const batch = 200;

/** Fills in the column where it is absent. */
export async function nameSessions({ store, position, reached }: MigrationWork): Promise<void> {
	for (let after = position; ; ) {
		const page = { limit: batch, columns: ["name"] as const, ...(after !== undefined && { after }) };
		const { documents, next } = await store.find(sessionCollection, "created", { equals: [] }, page);
		for (const { id, name } of documents) if (name === undefined) await nameSession(store, id);
		if (next === undefined) return;
		await reached((after = next));
	}
}

/** Names the session as its newest text does, which may change meanwhile. */
async function nameSession(store: Documents, id: string): Promise<void> {
	for (;;) {
		const document = await store.get(sessionCollection, id, ["name", "rev"]);
		if (!document || document.name !== undefined) return;
		const { wire, rev = 0 } = document;
		const { name } = JSON.parse(wire) as Session;
		if (await store.update(sessionCollection, id, { equals: { rev } }, { set: { name } })) return;
	}
}
