/** A store of which a test replaces some methods. */
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";

export function replacedStore(store: DocumentStore, replacements: Partial<DocumentStore>): DocumentStore {
	const bound = Object.fromEntries(documentStoreMethods.map((name) => [name, store[name].bind(store)]));
	return { ...(bound as unknown as DocumentStore), isShared: store.isShared, ...replacements };
}
