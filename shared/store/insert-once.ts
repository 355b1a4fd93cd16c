/** Inserts documents that several writers may insert: the first one wins, and the others use its document. */
import { DuplicateKeyError } from "./port/documents.ts";

/**
 * Whether the document is in the store by this insert; false when its id, or the values of a unique index, were taken.
 * @param insert Inserts one document.
 * @throws whatever else `insert` throws.
 * @example
 * ```ts
 * const isFirst = await insertOnce(() => store.insert(names, { id: "log", wire: "{}", epoch }));
 * return isFirst ? epoch : (await store.get(names, "log"))?.epoch;
 * ```
 */
export async function insertOnce(insert: () => Promise<void>): Promise<boolean> {
	try {
		await insert();
		return true;
	} catch (error) {
		if (error instanceof DuplicateKeyError) return false;
		throw error;
	}
}
