/** Reads the values of credentials of several owners. */
import { type CredentialOwner, ownerKey } from "./credential-owner.ts";
import type { CredentialStore, CredentialValues } from "./credential-store.ts";

interface WantedValues {
	readonly owner: CredentialOwner;
	readonly name: string;
}

/**
 * Returns the values of those credentials that exist. The store is asked once for each owner, because it may read all that
 * an owner has for each question.
 */
export async function namedValues<W extends WantedValues>(
	store: CredentialStore,
	wanted: readonly W[],
): Promise<Map<W, CredentialValues>> {
	const values = new Map<W, CredentialValues>();
	for (const own of Map.groupBy(wanted, ({ owner }) => ownerKey(owner)).values()) {
		const [first] = own;
		if (!first) continue;
		const names = own.map(({ name }) => name);
		const found = await store.values(first.owner, names);
		for (const one of own) {
			const read = found.get(one.name);
			if (read) values.set(one, read);
		}
	}
	return values;
}
