/** The part of stores that read and change the credentials of an owner as a whole. */
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import type { CredentialOwner } from "./credential-owner.ts";
import { type CredentialSet, valuesIn, withCredential } from "./credential-set.ts";
import type { CredentialStore, CredentialValues, NewCredential, StoredCredential } from "./credential-store.ts";

/** An adapter implements `read` and `change`. */
export abstract class CredentialSets implements CredentialStore {
	readonly #most: number;

	/** @param most Most credentials of one owner. */
	constructor(most: number) {
		this.#most = most;
	}

	abstract owners(): Promise<CredentialOwner[]>;

	protected abstract read(owner: CredentialOwner): Promise<CredentialSet>;

	/** Changes the owner's credentials, and returns them; changes of one owner are made one after the other. */
	protected abstract change(
		owner: CredentialOwner,
		decide: (former: CredentialSet) => CredentialSet,
	): Promise<CredentialSet>;

	async list(owner: CredentialOwner): Promise<Credential[]> {
		return [...(await this.read(owner)).values()].map(({ entry }) => entry);
	}

	async get(owner: CredentialOwner, name: string): Promise<Credential | undefined> {
		return (await this.read(owner)).get(name)?.entry;
	}

	async values(owner: CredentialOwner, names: readonly string[]): Promise<Map<string, CredentialValues>> {
		return valuesIn(await this.read(owner), names);
	}

	async put(owner: CredentialOwner, credential: NewCredential): Promise<Credential> {
		const { name } = credential;
		const set = await this.change(owner, (former) => withCredential(former, credential, this.#most));
		const stored = set.get(name);
		if (!stored) throw new RangeError(`Cannot find credential "${name}" after it was stored`);
		return stored.entry;
	}

	async adopt(owner: CredentialOwner, credential: StoredCredential): Promise<void> {
		await this.change(owner, (former) => new Map([...former, [credential.entry.name, credential]]));
	}

	async delete(owner: CredentialOwner, name: string): Promise<boolean> {
		if (!(await this.read(owner)).has(name)) return false;
		let isFound = false;
		await this.change(owner, (former) => {
			isFound = former.has(name);
			return new Map([...former].filter(([other]) => other !== name));
		});
		return isFound;
	}
}
