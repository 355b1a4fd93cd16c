/** The secrets of a launch: finds the credentials that its session names and lets the adapter prepare them. */
import type { Credential } from "#shared/contracts/credentials/credentials.ts";
import type { NamedValues } from "#shared/contracts/credentials/injection.ts";
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import { type CredentialOwner, personOf, tenantOf } from "../store/credential-owner.ts";
import type { CredentialStore } from "../store/credential-store.ts";
import { namedValues } from "../store/named-values.ts";
import { secretTypeOf, secretTypeTable } from "../types/secret-type-table.ts";
import { wordsOf } from "./collected-secrets.ts";
import { mappingOf, type NamedCredential, type SecretMapping } from "./secret-mapping.ts";
import type { MappedCredential, SecretInjection } from "./secret-injection.ts";

interface SessionPerson {
	readonly tenant: string;
	readonly owner: string;
}

interface NamedCredentials {
	readonly names: readonly string[];
	/** Those of them that were the tenant's when the session was made; no other one takes the place of any. */
	readonly ofTenant: readonly string[];
}

interface KnownCredentials {
	readonly own: ReadonlyMap<string, FoundCredential>;
	readonly tenants: ReadonlyMap<string, FoundCredential>;
}

interface FoundCredential {
	readonly owner: CredentialOwner;
	readonly entry: Credential;
}

function credentialOf({ owner, entry }: FoundCredential): NamedCredential {
	return { ...entry, secret_type: secretTypeOf(entry.secret_type), isForeign: owner.type === "tenant" };
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
		{ names, ofTenant }: NamedCredentials,
		mappings: readonly LaunchMapping[] = [],
	): Promise<PodSecrets> {
		const credentials: MappedCredential[] = [];
		const warned: string[] = [];
		const taken = new Set<string>();
		const known = await this.#known(person, [...names, ...mappings.map(({ credential_name }) => credential_name)]);
		for (const name of new Set(names)) {
			const found = named(known, name, ofTenant);
			if (!found) {
				warned.push(`credential "${name}" does not exist`);
				continue;
			}
			const credential = credentialOf(found);
			const mapping = mappingOf(credential, (target) => taken.has(target));
			warned.push(...unsetFields(credential, mapping));
			for (const target of Object.keys(mapping.files)) taken.add(target);
			credentials.push({ owner: found.owner, name, mapping });
		}
		for (const { credential_name: name, source, ...mapping } of mappings) {
			const found = named(known, name);
			if (found) credentials.push({ owner: found.owner, name, source, mapping: grantedOf(mapping, found.entry) });
			else warned.push(`${wordsOf({ name, source })} does not exist`);
		}
		const { warnings, ...secrets } = await this.#injection.prepare({ session_id, credentials });
		return { ...secrets, warnings: [...warned, ...warnings] };
	}

	/** Returns the values of those of these credentials that exist. They stay within the platform. */
	async values(person: SessionPerson, names: readonly string[]): Promise<NamedValues[]> {
		const known = await this.#known(person, names);
		const found = [...new Set(names)].flatMap((name) => named(known, name) ?? []);
		const read = await namedValues(
			this.#store,
			found.map(({ owner, entry: { name } }) => ({ owner, name })),
		);
		return [...read].map(([{ name }, { secret_type, data }]) => ({
			name,
			secret_type: secretTypeOf(secret_type),
			data: { ...data },
		}));
	}

	/** Returns which of the names are the tenant's, and which ones nobody has. The own one has precedence. */
	async whose(person: SessionPerson, names: readonly string[]): Promise<{ tenant: string[]; missing: string[] }> {
		const known = await this.#known(person, names);
		const asked = [...new Set(names)];
		return {
			tenant: asked.filter((name) => named(known, name)?.owner.type === "tenant"),
			missing: asked.filter((name) => !named(known, name)),
		};
	}

	/**
	 * Returns what the person may use. Both owners are asked for once, because a store may read everything for each
	 * question.
	 */
	async #known({ tenant, owner: id }: SessionPerson, names: readonly string[]): Promise<KnownCredentials> {
		if (names.length === 0) return { own: new Map(), tenants: new Map() };
		const [tenants, own] = await Promise.all([this.#of(tenantOf(tenant)), this.#of(personOf({ tenant, id }))]);
		return { own, tenants };
	}

	async #of(owner: CredentialOwner): Promise<ReadonlyMap<string, FoundCredential>> {
		return new Map((await this.#store.list(owner)).map((entry) => [entry.name, { owner, entry }]));
	}
}

/** Returns the credential of this name. @param ofTenant See {@link NamedCredentials}. */
function named(
	{ own, tenants }: KnownCredentials,
	name: string,
	ofTenant?: readonly string[],
): FoundCredential | undefined {
	if (!ofTenant) return own.get(name) ?? tenants.get(name);
	return (ofTenant.includes(name) ? tenants : own).get(name);
}

/** Returns sentences about fields of a tenant's credential that set no variable; a store may have got them from elsewhere. */
function unsetFields(
	{ name, secret_type, keys, isForeign = false }: NamedCredential,
	mapping: SecretMapping,
): string[] {
	const { default_mount_type, withheld } = secretTypeTable[secret_type];
	if (!isForeign || default_mount_type !== "env") return [];
	const set = new Set(Object.values(mapping.variables));
	return keys
		.filter((key) => !set.has(key) && !withheld.includes(key))
		.map((key) => `credential "${name}": the field "${key}" of a tenant's credential sets no variable`);
}
