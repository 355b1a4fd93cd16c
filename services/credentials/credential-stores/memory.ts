/** Keeps credentials in the memory of the process; they end with it. */
import { bound } from "#shared/base/bounds.ts";
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import { type CredentialOwner, ownerKey } from "../store/credential-owner.ts";
import { type CredentialSet, valuesIn, withCredential } from "../store/credential-set.ts";
import type { CredentialStore, CredentialValues, NewCredential } from "../store/credential-store.ts";

interface MemoryOptions {
	/** Most credentials of one owner. Default 100. */
	readonly max_per_owner?: number;
}

export class MemoryCredentials implements CredentialStore {
	static readonly kwargs = ["max_per_owner"];
	static readonly typedKwargs = ["max_per_owner"];
	readonly #most: number;
	readonly #sets = new Map<string, CredentialSet>();

	constructor({ max_per_owner = bound.credentials }: MemoryOptions = {}) {
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
		this.#sets.set(ownerKey(owner), set);
		const stored = set.get(credential.name);
		if (!stored) throw new RangeError(`Cannot find credential "${credential.name}" after it was stored`);
		return stored.entry;
	}

	async delete(owner: CredentialOwner, name: string): Promise<boolean> {
		const set = this.#of(owner);
		if (!set.has(name)) return false;
		const rest = new Map([...set].filter(([other]) => other !== name));
		if (rest.size > 0) this.#sets.set(ownerKey(owner), rest);
		else this.#sets.delete(ownerKey(owner));
		return true;
	}

	async values(owner: CredentialOwner, names: readonly string[]): Promise<Map<string, CredentialValues>> {
		return valuesIn(this.#of(owner), names);
	}

	#of(owner: CredentialOwner): CredentialSet {
		return this.#sets.get(ownerKey(owner)) ?? new Map();
	}
}
