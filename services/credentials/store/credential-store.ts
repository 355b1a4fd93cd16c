/**
 * Port: a store of credentials. Each belongs to one owner; to every other owner it does not exist. Adapters keep the
 * path `/<owner type>s/<owner>/<name>/<field>`, in the form of the place where they store.
 */
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import type { SecretType } from "#shared/contracts/credentials/secret-types.ts";
import type { CredentialOwner } from "./credential-owner.ts";

/** A credential as its owner sends it, with its values in the clear. */
export interface NewCredential {
	readonly name: string;
	readonly secret_type: SecretType;
	/** The values by field; at least one. */
	readonly data: Readonly<Record<string, string>>;
	readonly metadata: Readonly<Record<string, string>>;
}

/** The secret part of a credential; no answer to a client has it. */
export interface CredentialValues {
	readonly secret_type: SecretType;
	readonly data: Readonly<Record<string, string>>;
}

/** A credential with its values, as it is moved from one store to another. */
export interface StoredCredential {
	readonly entry: Credential;
	readonly data: Readonly<Record<string, string>>;
}

/** The port; the configuration key `credential_store` names the adapter. */
export interface CredentialStore {
	/** Returns the owner's credentials without their values, in any order. */
	list(owner: CredentialOwner): Promise<Credential[]>;
	/** Returns one without its values; undefined when the owner has none of that name. */
	get(owner: CredentialOwner, name: string): Promise<Credential | undefined>;
	/**
	 * Stores a credential completely or not at all. One of the same name is replaced, and keeps its id and the time of
	 * its creation.
	 * @throws {ConflictError} when the owner has as many as the store keeps; {UnavailableError} when nothing can be
	 * stored at the moment.
	 */
	put(owner: CredentialOwner, credential: NewCredential): Promise<Credential>;
	/** Deletes a credential; false when the owner has none of that name. */
	delete(owner: CredentialOwner, name: string): Promise<boolean>;
	/** Returns the values of those of these names that the owner has, by name, for a launch. */
	values(owner: CredentialOwner, names: readonly string[]): Promise<ReadonlyMap<string, CredentialValues>>;
	/** Returns everybody who has credentials. */
	owners(): Promise<CredentialOwner[]>;
	/**
	 * Stores a credential of another store as it is, with its id and its times, whatever the owner has already. One of the same name is
	 * replaced.
	 */
	adopt(owner: CredentialOwner, credential: StoredCredential): Promise<void>;
}

export const credentialStoreMethods = ["list", "get", "put", "delete", "values", "owners", "adopt"] as const;
