/** Decorates stores, so that a decorator has only what it changes or adds. */
import type { DocumentStore } from "./document-store.ts";

/** Returns a store that has the members of the decorator, and of the store what the decorator does not have. */
export function decoratedStore<D extends object>(store: DocumentStore, decorator: D): DocumentStore & D {
	const bound = new Map<PropertyKey, unknown>();
	return new Proxy(
		{ ...store, ...decorator },
		{
			get(_members, name) {
				const known = bound.get(name);
				if (known) return known;
				const owner = name in decorator ? decorator : store;
				const member: unknown = Reflect.get(owner, name, owner);
				if (typeof member !== "function") return member;
				const method: unknown = member.bind(owner);
				bound.set(name, method);
				return method;
			},
		},
	);
}
