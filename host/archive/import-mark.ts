/** The mark of a store that is being filled from an archive: no platform starts on half of the documents. */
import { StartError } from "#shared/base/start-error.ts";
import { defineCollection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreSnapshot } from "#shared/store/port/lifecycle.ts";
import { insertOnce } from "#shared/store/insert-once.ts";

/** One document, `import`, while and after documents were imported; its state is `begun` or `done`. */
export const importCollection = defineCollection("store_imports", { state: "text" }, {}, { isTransient: true });

const id = "import";

export async function isHalfImported(store: DocumentStore): Promise<boolean> {
	return (await store.get(importCollection, id))?.state === "begun";
}

/** Whether a store had half of an archive when the snapshot was taken. */
export async function wasHalfImported(snapshot: StoreSnapshot): Promise<boolean> {
	for await (const { document } of snapshot.documents(importCollection)) if (document.state === "begun") return true;
	return false;
}

export async function markImport(store: DocumentStore, state: "begun" | "done"): Promise<void> {
	if (await insertOnce(() => store.insert(importCollection, { id, wire: "{}", state }))) return;
	await store.update(importCollection, id, {}, { set: { state } });
}

/** @throws {StartError} for a store with half of an archive. */
export async function refuseHalfImported(store: DocumentStore): Promise<void> {
	if (!(await isHalfImported(store))) return;
	throw new StartError(
		"Cannot use the store: an import into it has not finished; import again with --force, which empties it first",
	);
}
