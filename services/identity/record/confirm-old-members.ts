/**
 * The migration that gives memberships of the release before a time of the provider's last word: the upgrade itself, so
 * that tokens of people who do not log in again end some weeks after it, and not at once.
 */
import { now } from "#shared/base/clock.ts";
import type { MigrationWork } from "#shared/store/migrations/migration.ts";
import { memberCollection } from "./member-collection.ts";

/** The memberships of one step. */
const batch = 200;

/** Confirms memberships without a time. One that changes meanwhile is left alone: its `granted_at` counts then. */
export async function confirmOldMembers({ store, position, reached }: MigrationWork): Promise<void> {
	const seen_at = now();
	for (let after = position; ; ) {
		const page = { limit: batch, ...(after !== undefined && { after }) };
		const { documents, next } = await store.find(memberCollection, "by_age", { equals: [] }, page);
		for (const { id, rev = 0, seen_at: known } of documents)
			if (known === undefined)
				await store.update(memberCollection, id, { equals: { rev } }, { set: { seen_at, rev: rev + 1 } });
		if (next === undefined) return;
		await reached((after = next));
	}
}
