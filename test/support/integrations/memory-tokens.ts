/** Keeps tokens and connections in memory, for tests of logins without the services that store them. */
import type { ConnectionKeeper, TokenCredential, TokenKeeper } from "#services/integrations/oauth/connected-account.ts";
import type { Person } from "#services/integrations/oauth/oauth-definition.ts";

export class MemoryTokens implements TokenKeeper, ConnectionKeeper {
	readonly credentials = new Map<string, TokenCredential>();
	/** The name of the credential of each connection. */
	readonly connections = new Map<string, string>();
	/** The next step that would store something fails. */
	fails = false;

	read = async (person: Person, name: string) => this.credentials.get(key(person, name))?.data;

	async put(person: Person, credential: TokenCredential): Promise<void> {
		this.#fail();
		this.credentials.set(key(person, credential.name), credential);
	}

	async delete(person: Person, name: string): Promise<void> {
		this.#fail();
		this.credentials.delete(key(person, name));
	}

	async connect(person: Person, slug: string, credential_name: string): Promise<void> {
		this.connections.set(key(person, slug), credential_name);
	}

	async disconnect(person: Person, slug: string): Promise<void> {
		this.connections.delete(key(person, slug));
	}

	/** The fields of a person's tokens; empty when there are none. */
	fieldsOf(person: Person, slug: string): Readonly<Record<string, string>> {
		return this.credentials.get(key(person, `${slug}-oauth-token`))?.data ?? {};
	}

	#fail(): void {
		if (!this.fails) return;
		this.fails = false;
		throw new Error("The store is away");
	}
}

function key({ tenant, owner }: Person, name: string): string {
	return JSON.stringify([tenant, owner, name]);
}
