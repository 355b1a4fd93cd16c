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
		const known = await this.#known(person, names);
		for (const name of new Set(names)) {
			const found = known.get(name);
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
		const known = await this.#known(person, names);
		return [...new Set(names)].filter((name) => !known.has(name));
	}

	/**
	 * Returns what the person may use, by name: the own one has precedence over the tenant's. Both are asked for once,
	 * because a store may read everything for each question.
	 */
	async #known(
		{ tenant, owner: id }: SessionPerson,
		names: readonly string[],
	): Promise<ReadonlyMap<string, FoundCredential>> {
		const known = new Map<string, FoundCredential>();
		if (names.length === 0) return known;
		for (const owner of [tenantOf(tenant), personOf({ tenant, id })])
			for (const entry of await this.#store.list(owner)) known.set(entry.name, { owner, entry });
		return known;
	}
}
