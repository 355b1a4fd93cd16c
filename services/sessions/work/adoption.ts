/** Binds to a host the sessions and workspaces whose files an earlier version of the platform has left there. */
import type { Collection } from "#shared/store/collection.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { sessionCollection } from "../record/session-collection.ts";
import { workspaceCollection } from "../workspaces/workspace-collection.ts";

/** A claim or a command may come in between a read and its write, so a few attempts suffice. */
const maxAttempts = 5;

/** Binds those of the ids that name no host yet; resolves to their count. */
export async function adoptLeftFiles(store: Documents, host: string, ids: readonly string[]): Promise<number> {
	let count = 0;
	for (const id of ids) {
		for (const collection of [workspaceCollection, sessionCollection])
			if (await adoptOne(store, collection, id, host)) count++;
	}
	return count;
}

type Bindable = typeof workspaceCollection | typeof sessionCollection;

async function adoptOne(store: Documents, collection: Bindable, id: string, host: string): Promise<boolean> {
	const bindable: Collection<{ host: "text"; fence: "integer"; rev: "integer" }> = collection;
	for (let attempt = 0; attempt < maxAttempts; attempt++) {
		const found = await store.get(bindable, id, ["host", "fence", "rev"]);
		if (!found || found.host !== undefined) return false;
		const guard = { equals: { fence: found.fence ?? 0, rev: found.rev ?? 0 } };
		if (await store.update(bindable, id, guard, { set: { host } })) return true;
	}
	return false;
}
