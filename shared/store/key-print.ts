/**
 * The fingerprint of the installation key in the store: what the key has sealed and signed there is lost to every other
 * key, so no platform works with another one.
 */
import { StartError } from "#shared/base/start-error.ts";
import { defineCollection } from "./collection.ts";
import type { DocumentStore } from "./document-store.ts";
import type { StoreSnapshot } from "./port/lifecycle.ts";
import { insertOnce } from "./insert-once.ts";

/** One document, `key`; an archive has the fingerprint in its header. */
export const keyPrintCollection = defineCollection("key_prints", { print: "text" }, {}, { isTransient: true });

const id = "key";

/** Stores the fingerprint, whatever is there. */
export async function storeKeyPrint(store: DocumentStore, print: string): Promise<void> {
	if (await insertOnce(() => store.insert(keyPrintCollection, { id, wire: "{}", print }))) return;
	await store.update(keyPrintCollection, id, {}, { set: { print } });
}

/** Returns the fingerprint of a store; undefined for one that no platform of this version has used. */
export async function keyPrintOf(snapshot: StoreSnapshot): Promise<string | undefined> {
	for await (const { document } of snapshot.documents(keyPrintCollection)) return document.print;
	return undefined;
}

/**
 * Compares the key of a process with that of the store, which gets its fingerprint at the first start.
 * @param where Where the process has its key from, for the sentence. @throws {StartError} when they are different.
 */
export async function refuseOtherKey(
	store: Pick<DocumentStore, "insert" | "get">,
	print: string,
	where: string,
): Promise<void> {
	if (await insertOnce(() => store.insert(keyPrintCollection, { id, wire: "{}", print }))) return;
	const known = (await store.get(keyPrintCollection, id))?.print;
	if (known === undefined || known === print) return;
	throw new StartError(
		`Cannot start: ${where} is not the installation key of this store; with another one, secrets of users, tokens and the audit log ` +
			'cannot be read or checked any more. Put the former key there, or restore a backup with it (docs/backup.md, "The installation key")',
	);
}
