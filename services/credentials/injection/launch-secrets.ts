/** The secrets of a launch: finds the credentials that its session names and lets the adapter prepare them. */
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { type CredentialOwner, personOf, tenantOf } from "../store/credential-owner.ts";
import type { CredentialStore } from "../store/credential-store.ts";
import { secretTypeOf } from "../types/secret-type-table.ts";
import { mappingOf, type NamedCredential } from "./secret-mapping.ts";
import type { MappedCredential, SecretInjection } from "./secret-injection.ts";

/** The person for whom a session runs. */
export interface SessionPerson {
	readonly tenant: string;
	readonly owner: string;
}

interface FoundCredential {
	readonly owner: CredentialOwner;
	readonly entry: Credential;
}

function withKnownType(entry: Credential): NamedCredential {
	return { ...entry, secret_type: secretTypeOf(entry.secret_type) };
}

/** The secrets of all launches. */
export class LaunchSecrets {
	readonly #store: CredentialStore;
	readonly #injection: SecretInjection;

	constructor(store: CredentialStore, injection: SecretInjection) {
		this.#store = store;
		this.#injection = injection;
	}

	/** Returns what the launch gets; names without a credential are warnings. */
	async prepare(person: SessionPerson, session_id: string, names: readonly string[]): Promise<PodSecrets> {
		const credentials: MappedCredential[] = [];
		const unknown: string[] = [];
		const taken = new Set<string>();
		for (const name of new Set(names)) {
			const found = await this.#find(person, name);
			if (!found) {
				unknown.push(`credential "${name}" does not exist`);
				continue;
			}
			const mapping = mappingOf(withKnownType(found.entry), (target) => taken.has(target));
			for (const target of Object.keys(mapping.files)) taken.add(target);
			credentials.push({ owner: found.owner, name, mapping });
		}
		const { warnings, ...secrets } = await this.#injection.prepare({ session_id, credentials });
		return { ...secrets, warnings: [...unknown, ...warnings] };
	}

	/** Returns those of the names that nobody has. */
	async missing(person: SessionPerson, names: readonly string[]): Promise<string[]> {
		const missing: string[] = [];
		for (const name of new Set(names)) if (!(await this.#find(person, name))) missing.push(name);
		return missing;
	}

	/** The person's own credential has precedence over the tenant's of the same name. */
	async #find({ tenant, owner: id }: SessionPerson, name: string): Promise<FoundCredential | undefined> {
		for (const owner of [personOf({ tenant, id }), tenantOf(tenant)]) {
			const entry = await this.#store.get(owner, name);
			if (entry) return { owner, entry };
		}
		return undefined;
	}
}
