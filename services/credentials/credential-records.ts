/**
 * The credentials of all owners: checked before they are stored, and logged when their store cannot be read. They are no
 * kind of ResourceRecords, because their store is a port of its own.
 */
import type { Credential, CredentialCreate } from "#shared/contracts/credentials/credentials.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { CredentialOwner } from "./store/credential-owner.ts";
import type { CredentialStore } from "./store/credential-store.ts";
import { checkedCredential } from "./types/credential-rules.ts";

interface CredentialRecordsDependencies {
	readonly store: CredentialStore;
	/** The protocols of repositories that this installation allows. */
	readonly protocols: readonly string[];
	readonly log: ServiceLog;
}

export class CredentialRecords {
	readonly #dependencies: CredentialRecordsDependencies;

	constructor(dependencies: CredentialRecordsDependencies) {
		this.#dependencies = dependencies;
	}

	list(owner: CredentialOwner): Promise<Credential[]> {
		return this.#logged(this.#dependencies.store.list(owner));
	}

	get(owner: CredentialOwner, name: string): Promise<Credential | undefined> {
		return this.#logged(this.#dependencies.store.get(owner, name));
	}

	/** Returns the values of a credential by field; null when the owner has none of that name. */
	async values(owner: CredentialOwner, name: string): Promise<Record<string, string> | null> {
		const found = await this.#logged(this.#dependencies.store.values(owner, [name]));
		return found.get(name)?.data ?? null;
	}

	/** @throws {BadRequestError | UnprocessableError} for a credential that breaks a rule. */
	async put(owner: CredentialOwner, request: CredentialCreate): Promise<Credential> {
		const { store, protocols } = this.#dependencies;
		return this.#logged(store.put(owner, checkedCredential(request, protocols, owner.type === "tenant")));
	}

	delete(owner: CredentialOwner, name: string): Promise<boolean> {
		return this.#logged(this.#dependencies.store.delete(owner, name));
	}

	/** Logs why a store failed: the caller's sentence does not name the platform's files. */
	async #logged<T>(work: Promise<T>): Promise<T> {
		try {
			return await work;
		} catch (error) {
			if (error instanceof Error && error.cause)
				this.#dependencies.log.error("Credentials cannot be read or stored:", error.cause);
			throw error;
		}
	}
}
