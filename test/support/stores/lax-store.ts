/** A store without one of its protections, to show that tests notice when it is missing. */
import { randomUUID } from "node:crypto";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { replacedStore } from "./replaced-store.ts";

/**
 * The protections of a store. `guards`: the conditions of writes; `limits`: the limits of amounts too; `names`: the
 * uniqueness of appended documents.
 */
export type Protection = "guards" | "limits" | "names";

export function laxStore(store: DocumentStore, without: Protection): DocumentStore {
	return replacedStore(store, lacks[without](store));
}

const lacks: Record<Protection, (store: DocumentStore) => Partial<DocumentStore>> = {
	guards: (store) => ({ update: (collection, id, _guard, ...rest) => store.update(collection, id, {}, ...rest) }),
	limits: (store) => ({
		update: (collection, id, { equals = {} }, ...rest) => store.update(collection, id, { equals }, ...rest),
	}),
	names: (store) => ({
		append: (collection, documents) =>
			store.append(
				collection,
				documents.map((document) => ({ ...document, id: randomUUID() })),
			),
	}),
};
