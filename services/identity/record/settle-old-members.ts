/**
 * The migration that tells who has made a membership from who decides its role, which one column said in the release before.
 * A grant that no provider has ever confirmed is a grant. Of the others nothing says who has made them: they stay as they
 * are, the next word of a provider that names the tenant settles them, and the count is told.
 */
import type { MigrationWork } from "#shared/store/migrations/migration.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { isUnsettled, memberCollection, type MemberDocument } from "./member-collection.ts";

/** The memberships of one step. */
const batch = 200;

/** Settles memberships without `role_by`. One that changes meanwhile is left alone: that change has settled it. */
export async function settleOldMembers({ store, position, reached, say }: MigrationWork): Promise<void> {
	let unsettled = 0;
	for (let after = position; ; ) {
		const page = { limit: batch, ...(after !== undefined && { after }) };
		const { documents, next } = await store.find(memberCollection, "by_age", { equals: [] }, page);
		for (const document of documents) if (!(await isSettled(store, document))) unsettled++;
		if (next === undefined) break;
		await reached((after = next));
	}
	if (unsettled > 0)
		say(`${unsettled} memberships may be grants or roles that were set, see docs/identity.md, "After the upgrade"`);
}

/** Settles a membership where that is possible; returns whether nobody has to look at it. */
async function isSettled(store: Documents, document: MemberDocument): Promise<boolean> {
	const { id, rev = 0, source, seen_at, role_by, state } = document;
	if (role_by !== undefined || source === undefined) return true;
	if (isUnsettled(document) && seen_at !== undefined) return state !== "active";
	await store.update(memberCollection, id, { equals: { rev } }, { set: { role_by: source, rev: rev + 1 } });
	return true;
}
