/**
 * A credential as a secret of a vault: its fields, and one more with what is known about it. Everything of a credential is one secret, so
 * that it is stored as a whole or not at all. Pure.
 */
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import type { CredentialOwner } from "./credential-owner.ts";
import type { StoredCredential } from "./credential-store.ts";

/** The field with the credential's entry, which no field of a person may be called. */
export const entryField = "__meta__";

type Fields = Readonly<Record<string, unknown>>;

/** Names of folders may be hashes of their owners, so that each entry says whose it is. */
export function credentialFields(
	{ type, tenant, id }: CredentialOwner,
	{ entry, data }: StoredCredential,
): Record<string, string> {
	const of = { owner_type: type, owner_id: id, tenant_id: tenant };
	return { ...data, [entryField]: JSON.stringify({ ...entry, ...of }) };
}

/** Returns the owner that the entry names; undefined for an entry of somebody else. */
export function ownerIn(fields: Fields): CredentialOwner | undefined {
	const { owner_type: type, owner_id: id, tenant_id: tenant } = entryIn(fields);
	const isOwner = (type === "user" || type === "tenant") && typeof id === "string" && typeof tenant === "string";
	return isOwner ? { type, tenant, id } : undefined;
}

/** Returns the fields of a credential whose removal has begun. */
export function removalFields(at: number): Record<string, string> {
	return { [entryField]: JSON.stringify({ removed_at: at }) };
}

/** Returns when the removal has begun, in milliseconds since 1970; undefined for a credential that is there. */
export function removalIn(fields: Fields): number | undefined {
	const { removed_at: at } = entryIn(fields);
	return typeof at === "number" ? at : undefined;
}

/**
 * Returns the credential; undefined where one is being removed. A secret that somebody else has written has no entry: it is one of the
 * type `generic`.
 */
export function credentialIn(name: string, fields: Fields): StoredCredential | undefined {
	if (removalIn(fields) !== undefined) return undefined;
	const texts = Object.entries(fields).filter(([field]) => field !== entryField);
	const data = Object.fromEntries(
		texts.map(([field, value]) => [field, typeof value === "string" ? value : JSON.stringify(value)]),
	);
	const usual = { id: name, secret_type: "generic", metadata: {}, created_at: "", updated_at: "" } as const;
	const keys = Object.keys(data).toSorted();
	const { owner_type: _type, owner_id: _id, tenant_id: _tenant, ...known } = entryIn(fields);
	return { entry: { ...usual, ...(known as Partial<Credential>), name, keys }, data };
}

function entryIn(fields: Fields): Readonly<Record<string, unknown>> {
	const { [entryField]: text } = fields;
	return (typeof text === "string" ? parseJsonObject(text) : undefined) ?? {};
}
