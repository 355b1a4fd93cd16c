/** The credentials of one owner as a value, and its form as a file. Pure except for ids and the time. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { randomUUID } from "node:crypto";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import { ConflictError } from "#shared/base/errors.ts";
import type { CredentialOwner } from "./credential-owner.ts";
import type { CredentialValues, NewCredential, StoredCredential } from "./credential-store.ts";

/** The credentials of an owner by name. A map, because a name may be `__proto__`. */
export type CredentialSet = ReadonlyMap<string, StoredCredential>;

/** Returns the set with the credential. @throws {ConflictError} when it would have more than `most`. */
export function withCredential(
	set: CredentialSet,
	{ name, secret_type, data, metadata }: NewCredential,
	most: number,
): CredentialSet {
	const former = set.get(name)?.entry;
	if (!former && set.size >= most) throw new ConflictError(`There are at most ${most} credentials`, "CREDENTIAL_LIMIT");
	const time = isoTime(now());
	const entry: Credential = {
		id: former?.id ?? randomUUID(),
		name,
		secret_type,
		keys: Object.keys(data).toSorted(),
		metadata: { ...metadata },
		created_at: former?.created_at ?? time,
		updated_at: time,
	};
	return new Map([...set, [name, { entry, data: { ...data } }]]);
}

export function valuesIn(set: CredentialSet, names: readonly string[]): Map<string, CredentialValues> {
	const values = new Map<string, CredentialValues>();
	for (const name of names) {
		const found = set.get(name);
		if (found) values.set(name, { secret_type: found.entry.secret_type, data: { ...found.data } });
	}
	return values;
}

/** Returns the set as the text of `credentials.json`. */
export function setText(set: CredentialSet, owner: CredentialOwner): string {
	const of = { owner_id: owner.id, owner_type: owner.type, tenant_id: owner.tenant };
	const metadata = Object.fromEntries([...set].map(([name, { entry }]) => [name, { ...entry, ...of }]));
	const values = Object.fromEntries([...set].map(([name, { data }]) => [name, data]));
	return JSON.stringify({ metadata, values });
}

/** Reads the text of `credentials.json`. @throws {SyntaxError} when it has another form. The message has no value. */
export function parseSet(text: string): CredentialSet {
	const { metadata, values } = parsed(text);
	const entries = Object.entries(metadata).map(([name, entry]): [string, StoredCredential] => {
		const { id, secret_type, keys, metadata: texts, created_at, updated_at } = entry;
		const data = new Map(Object.entries(values)).get(name);
		if (!data) throw malformed();
		return [name, { entry: { id, name, secret_type, keys, metadata: texts, created_at, updated_at }, data }];
	});
	return new Map(entries);
}

/** Returns the owner of the text; undefined for one without credentials. @throws {SyntaxError} as {@link parseSet} does. */
export function ownerOfText(text: string): CredentialOwner | undefined {
	const [entry] = Object.values(parsed(text).metadata) as (Credential & {
		owner_id?: string;
		owner_type?: string;
		tenant_id?: string;
	})[];
	const { owner_id: id, owner_type: type, tenant_id: tenant } = entry ?? {};
	const isOwner = (type === "user" || type === "tenant") && id !== undefined && tenant !== undefined;
	return isOwner ? { type, tenant, id } : undefined;
}

interface SetFile {
	readonly metadata: Readonly<Record<string, Credential>>;
	readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function parsed(text: string): SetFile {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's own message repeats a part of the text.
		throw malformed();
	}
	if (isSetFile(value)) return value;
	throw malformed();
}

function isSetFile(value: unknown): value is SetFile {
	if (!isJsonObject(value)) return false;
	const { metadata, values } = value;
	return (
		isJsonObject(metadata) &&
		isJsonObject(values) &&
		Object.values(metadata).every(isEntry) &&
		Object.values(values).every(isTexts)
	);
}

function isEntry(value: unknown): boolean {
	if (!isJsonObject(value)) return false;
	const { id, secret_type, keys, metadata, created_at, updated_at } = value;
	const texts = [id, secret_type, created_at, updated_at];
	return texts.every((text) => typeof text === "string") && Array.isArray(keys) && isTexts(metadata);
}

function isTexts(value: unknown): boolean {
	return isJsonObject(value) && Object.values(value).every((text) => typeof text === "string");
}

function malformed(): SyntaxError {
	return new SyntaxError("it is no list of credentials");
}
