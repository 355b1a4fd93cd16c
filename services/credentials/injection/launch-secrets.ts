/** The secrets of a launch: finds the credentials that its session names and lets the adapter prepare them. */
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import type { NamedValues } from "#shared/contracts/credentials/injection.ts";
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { type CredentialOwner, ownerKey, personOf, tenantOf } from "../store/credential-owner.ts";
import type { CredentialStore } from "../store/credential-store.ts";
import { secretTypeOf, secretTypeTable } from "../types/secret-type-table.ts";
import { wordsOf } from "./collected-secrets.ts";
import { mappingOf, type NamedCredential, type SecretMapping } from "./secret-mapping.ts";
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

/** Returns the mapping without the fields that never get into a pod, whatever a definition says. */
function grantedOf(
	{ variables, files, git_hosts, mcp_servers }: Omit<LaunchMapping, "credential_name" | "source">,
	{ secret_type }: Credential,
): SecretMapping {
	const { withheld } = secretTypeTable[secretTypeOf(secret_type)];
	const granted = (fields: Readonly<Record<string, string>>) =>
		Object.fromEntries(Object.entries(fields).filter(([, field]) => !withheld.includes(field)));
	return {
		variables: granted(variables),
		files: granted(files),
		git: [],
		git_hosts: git_hosts.filter(({ field }) => !withheld.includes(field)),
		mcp_servers: mcp_servers.map((server) => ({ ...server, env: granted(server.env) })),
	};
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
	async prepare(
		person: SessionPerson,
		session_id: string,
		names: readonly string[],
		mappings: readonly LaunchMapping[] = [],
	): Promise<PodSecrets> {
		const credentials: MappedCredential[] = [];
		const unknown: string[] = [];
		const taken = new Set<string>();
		const known = await this.#known(person, [...names, ...mappings.map(({ credential_name }) => credential_name)]);
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
		for (const { credential_name: name, source, ...mapping } of mappings) {
			const found = known.get(name);
			if (found) credentials.push({ owner: found.owner, name, source, mapping: grantedOf(mapping, found.entry) });
			else unknown.push(`${wordsOf({ name, source })} does not exist`);
		}
		const { warnings, ...secrets } = await this.#injection.prepare({ session_id, credentials });
		return { ...secrets, warnings: [...unknown, ...warnings] };
	}

	/** Returns the values of those of these credentials that exist. They stay within the platform. */
	async values(person: SessionPerson, names: readonly string[]): Promise<NamedValues[]> {
		const known = await this.#known(person, names);
		const found = [...new Set(names)].flatMap((name) => known.get(name) ?? []);
		const read: NamedValues[] = [];
		for (const own of Map.groupBy(found, ({ owner }) => ownerKey(owner)).values()) {
			const [first] = own;
			if (!first) continue;
			const asked = own.map(({ entry }) => entry.name);
			for (const [name, { secret_type, data }] of await this.#store.values(first.owner, asked))
				read.push({ name, secret_type: secretTypeOf(secret_type), data: { ...data } });
		}
		return read;
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
