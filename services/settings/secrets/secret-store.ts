/** Port: a store of secrets. Each secret belongs to one user; to everybody else it does not exist. */
import type { Principal } from "#shared/base/principal.ts";
import type { SecretEntry } from "#shared/contracts/settings/secrets.ts";

export interface NewSecret {
	readonly name: string;
	/** The values by key; at least one. */
	readonly data: Readonly<Record<string, string>>;
}

/** The port; the configuration key `secrets` names the adapter. */
export interface SecretStore {
	/** Returns names and keys of the principal's secrets, in any order. */
	list(principal: Principal): Promise<SecretEntry[]>;
	/** Returns the name and the keys of a secret; undefined when the principal has none of that name. */
	get(principal: Principal, name: string): Promise<SecretEntry | undefined>;
	/**
	 * Creates a secret. @throws {ConflictError} when the principal has one of that name, or as many or as much as the
	 * store keeps for a user; {UnavailableError} when the store is full.
	 */
	create(principal: Principal, secret: NewSecret): Promise<SecretEntry>;
	/** Returns the values of a secret for a launch; undefined when the principal has none of that name. */
	values(principal: Principal, name: string): Promise<Readonly<Record<string, string>> | undefined>;
}

export const secretStoreMethods = ["list", "get", "create", "values"] as const;
