/** The mark of a store that is being filled from an archive: no platform starts on half of the documents. */
import { StartError } from "#shared/base/start-error.ts";
import { defineCollection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { Fence } from "#shared/store/port/fence.ts";
import type { StoreSnapshot } from "#shared/store/port/lifecycle.ts";
import { insertOnce } from "#shared/store/insert-once.ts";

/**
 * One document, `import`, while and after documents were imported; its state is `begun` or `done`. In a shared store
 * `turns` counts the commands that have begun to fill it; former versions do not count.
 */
export const importCollection = defineCollection(
	"store_imports",
	{ state: "text", turns: "integer" },
	{},
	{ isTransient: true },
);

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

/** The mark of one command, and a condition that ends with it: the next command changes the number. */
export interface ClaimedMark {
	readonly turns: number;
	/** Whether the mark of before was of half of an archive too. */
	readonly wasHalf: boolean;
}

/**
 * Marks a shared store for one command, so that no earlier one writes into it any more.
 * @param confirm Throws when this command has lost its turn.
 */
export async function claimImport(store: DocumentStore, confirm: () => Promise<void>): Promise<ClaimedMark> {
	for (;;) {
		// A mark without a number gets one, which changes nothing for others.
		const found = await store.update(importCollection, id, {}, { inc: { turns: 0 } });
		// A command that has taken over since then has changed the number.
		await confirm();
		const turns = (found?.turns ?? 0) + 1;
		const isClaimed = found
			? await store.update(importCollection, id, guardOf(turns - 1), { set: { state: "begun", turns } })
			: await insertOnce(() => store.insert(importCollection, { id, wire: "{}", state: "begun", turns }));
		if (isClaimed) return { turns, wasHalf: found?.state === "begun" };
	}
}

/** Marks the store of a command as done; false when another command has begun since it claimed the mark. */
export async function settleImport(store: DocumentStore, turns: number): Promise<boolean> {
	return (await store.update(importCollection, id, guardOf(turns), { set: { state: "done" } })) !== undefined;
}

/** Returns the fence of the command that has claimed the mark. */
export function fenceOf({ turns }: ClaimedMark): Fence {
	return { collection: importCollection, id, ...guardOf(turns) };
}

function guardOf(turns: number): { readonly equals: { readonly turns: number } } {
	return { equals: { turns } };
}

/** @throws {StartError} for a store with half of an archive. */
export async function refuseHalfImported(store: DocumentStore): Promise<void> {
	if (!(await isHalfImported(store))) return;
	throw new StartError(
		"Cannot use the store: an import into it has not finished; import again with --force, which empties it first",
	);
}
