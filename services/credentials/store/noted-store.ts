/** A credential store that notes whose credentials cannot be opened, whoever asks for them. */
import { UnavailableError } from "#shared/base/errors.ts";
import type { CredentialOwner } from "./credential-owner.ts";
import type { CredentialStore } from "./credential-store.ts";
import type { UnreadableOwners } from "./unreadable-owners.ts";

export function notedStore(store: CredentialStore, unreadable: UnreadableOwners): CredentialStore {
	async function noted<T>(owner: CredentialOwner, work: Promise<T>): Promise<T> {
		try {
			const result = await work;
			unreadable.note(owner, true);
			return result;
		} catch (error) {
			if (error instanceof UnavailableError && error.type === "CREDENTIALS_UNREADABLE") unreadable.note(owner, false);
			throw error;
		}
	}
	return {
		list: (owner) => noted(owner, store.list(owner)),
		get: (owner, name) => noted(owner, store.get(owner, name)),
		values: (owner, names) => noted(owner, store.values(owner, names)),
		put: (owner, credential) => noted(owner, store.put(owner, credential)),
		delete: (owner, name) => noted(owner, store.delete(owner, name)),
		owners: () => store.owners(),
		adopt: (owner, credential) => noted(owner, store.adopt(owner, credential)),
	};
}
