/** The traces of a login in other parts: the credential with the tokens, and the connection that names it. */
import type { Person } from "./oauth-definition.ts";

export interface TokenCredential {
	readonly name: string;
	readonly data: Readonly<Record<string, string>>;
	readonly metadata: Readonly<Record<string, string>>;
}

/** A port, because another service keeps the credentials. */
export interface TokenKeeper {
	/** Returns the fields of a person's own credential; undefined when there is none of that name. */
	read(person: Person, name: string): Promise<Readonly<Record<string, string>> | undefined>;
	put(person: Person, credential: TokenCredential): Promise<void>;
	/** Deletes a credential; one that does not exist is no error. */
	delete(person: Person, name: string): Promise<void>;
}

/** A port, so that logins need not know how connections are stored. */
export interface ConnectionKeeper {
	/** Makes the connection, or points the one that there is to the credential and enables it. */
	connect(person: Person, slug: string, credential_name: string): Promise<void>;
	/** Removes the connection; one that does not exist is no error. */
	disconnect(person: Person, slug: string): Promise<void>;
}

/** The name of the credential (contract/behaviour.md, section 13). */
export function credentialName(slug: string): string {
	return `${slug}-oauth-token`;
}

export function tokenCredential(slug: string, data: Readonly<Record<string, string>>): TokenCredential {
	return { name: credentialName(slug), data, metadata: { source: "oauth2", integration: slug } };
}
