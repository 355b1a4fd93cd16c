/** Keeps credentials in the memory of the process; they end with it. */
import { personKey } from "#shared/bus/principal.ts";
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import type { CredentialOwner } from "../store/credential-owner.ts";
import { type CredentialSet, valuesIn, withCredential } from "../store/credential-set.ts";
import type { CredentialStore, CredentialValues, NewCredential } from "../store/credential-store.ts";

interface MemoryOptions {
	/** Most credentials of one owner. Default 100. */
	readonly max_per_owner?: number;
}

export class MemoryCredentials implements CredentialStore {
	readonly #most: number;
	readonly #sets = new Map<string, CredentialSet>();

	constructor({ max_per_owner = 100 }: MemoryOptions = {}) {
		this.#most = max_per_owner;
	}

	async list(owner: CredentialOwner): Promise<Credential[]> {
		return [...this.#of(owner).values()].map(({ entry }) => entry);
	}

	async get(owner: CredentialOwner, name: string): Promise<Credential | undefined> {
		return this.#of(owner).get(name)?.entry;
	}

	async put(owner: CredentialOwner, credential: NewCredential): Promise<Credential> {
		const set = withCredential(this.#of(owner), credential, this.#most);
		this.#sets.set(keyOf(owner), set);
		const stored = set.get(credential.name);
		if (!stored) throw new RangeError(`Cannot find credential "${credential.name}" after it was stored`);
		return stored.entry;
	}

	async delete(owner: CredentialOwner, name: string): Promise<boolean> {
		const set = this.#of(owner);
		if (!set.has(name)) return false;
		const rest = new Map([...set].filter(([other]) => other !== name));
		if (rest.size > 0) this.#sets.set(keyOf(owner), rest);
		else this.#sets.delete(keyOf(owner));
		return true;
	}

	async values(owner: CredentialOwner, name: string): Promise<CredentialValues | undefined> {
		return valuesIn(this.#of(owner), name);
	}

	#of(owner: CredentialOwner): CredentialSet {
		return this.#sets.get(keyOf(owner)) ?? new Map();
	}
}

function keyOf({ type, tenant, id }: CredentialOwner): string {
	return `${type} ${personKey(tenant, id)}`;
}
