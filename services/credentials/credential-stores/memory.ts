/** Keeps credentials in the memory of the process; they end with it. */
import { bound } from "#shared/base/bounds.ts";
import { type CredentialOwner, ownerKey } from "../store/credential-owner.ts";
import type { CredentialSet } from "../store/credential-set.ts";
import { CredentialSets } from "../store/credential-sets.ts";

interface MemoryOptions {
	/** Most credentials of one owner. Default 100. */
	readonly max_per_owner?: number;
}

export class MemoryCredentials extends CredentialSets {
	static readonly kwargs = ["max_per_owner"];
	static readonly typedKwargs = ["max_per_owner"];
	readonly #sets = new Map<string, CredentialSet>();
	readonly #owners = new Map<string, CredentialOwner>();

	constructor({ max_per_owner = bound.credentials }: MemoryOptions = {}) {
		super(max_per_owner);
	}

	async owners(): Promise<CredentialOwner[]> {
		return [...this.#owners].filter(([key]) => this.#sets.has(key)).map(([, owner]) => owner);
	}

	protected async read(owner: CredentialOwner): Promise<CredentialSet> {
		return this.#sets.get(ownerKey(owner)) ?? new Map();
	}

	protected async change(
		owner: CredentialOwner,
		decide: (former: CredentialSet) => CredentialSet,
	): Promise<CredentialSet> {
		this.#owners.set(ownerKey(owner), owner);
		const set = decide(this.#sets.get(ownerKey(owner)) ?? new Map());
		if (set.size > 0) this.#sets.set(ownerKey(owner), set);
		else this.#sets.delete(ownerKey(owner));
		return set;
	}
}
