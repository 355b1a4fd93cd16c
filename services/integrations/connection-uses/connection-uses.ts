/** Hands a person's connections to the platform's own services: their credentials, and the parts that launches get. */
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import type { NamedValues } from "#shared/contracts/credentials/injection.ts";
import type { NamingConnection, UsableConnection } from "#shared/contracts/integrations/connections.ts";
import type { IntegrationDefinition, IntegrationType } from "#shared/contracts/integrations/definition-fields.ts";
import type { Connection } from "#shared/contracts/integrations/integrations.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Owner } from "#shared/base/principal.ts";
import type { ConnectionRecords } from "../connections/connection-records.ts";
import { missingFields } from "../connections/connection-rules.ts";
import { launchMapping } from "./launch-mapping.ts";

/** A person in a tenant, as sessions have them. */
interface Person {
	readonly tenant: string;
	readonly owner: string;
}

/** Reads the values of credentials, at most 20; those that do not exist are left out. */
export type ReadCredentials = (owner: Owner, names: readonly string[]) => Promise<NamedValues[]>;

/** Which connections a session gets that names none: all enabled ones, or none. */
export type Injected = "all" | "named";

interface LaunchedConnections {
	mappings: LaunchMapping[];
	warnings: string[];
}

/** The most connections that one question gets with their credentials. */
const maxUsable = 20;
/** The most connections of one launch. */
const maxLaunched = 100;

/** Fields with which whoever has them could make new credentials: adapters get the tokens themselves. */
const withheld: readonly string[] = ["refresh_token", "client_secret"];

export class ConnectionUses {
	readonly #records: ConnectionRecords;
	readonly #catalogue: Catalogue;
	readonly #injected: Injected;

	constructor(records: ConnectionRecords, catalogue: Catalogue, injected: Injected) {
		this.#records = records;
		this.#catalogue = catalogue;
		this.#injected = injected;
	}

	/** Returns the enabled connections of a type whose credentials have what the definitions need, newest first. */
	async usable(
		owner: Owner,
		{ type, ids }: { readonly type: IntegrationType; readonly ids?: readonly string[] | undefined },
		read: ReadCredentials,
	): Promise<UsableConnection[]> {
		const all = await this.#records.enabled(owner, type);
		const chosen = (ids ? all.filter(({ id }) => ids.includes(id)) : all).slice(0, maxUsable);
		if (chosen.length === 0) return [];
		const definitions = await this.#catalogue.definitions();
		const values = new Map(
			(await read(owner, [...new Set(chosen.map(({ credential_name }) => credential_name))])).map((one) => [
				one.name,
				one,
			]),
		);
		return chosen.flatMap((connection) => {
			const definition = definitionOf(definitions, connection);
			const credential = credentialOf(values.get(connection.credential_name));
			if (!definition || missingFields(definition, credential).length > 0) return [];
			const { id, slug, config, created_at } = connection;
			return [{ id, slug, adapter: definition.adapter, config, credential, created_at }];
		});
	}

	/**
	 * Returns what a launch gets: of the named connections, or of those that the configuration says.
	 * @param repositories The URLs of the session's repositories.
	 */
	async launch(owner: Owner, ids: readonly string[], repositories: readonly string[]): Promise<LaunchedConnections> {
		const named = ids.length > 0;
		if (!named && this.#injected === "named") return { mappings: [], warnings: [] };
		const connections = named ? await this.#records.ofIds(owner, ids) : await this.#records.enabled(owner);
		const definitions = await this.#catalogue.definitions();
		const mappings = connections
			.filter(({ enabled }) => enabled)
			.slice(0, maxLaunched)
			.flatMap((connection) => {
				const definition = definitionOf(definitions, connection);
				return (definition && launchMapping(definition, connection, { repositories, names: named })) ?? [];
			});
		return { mappings, warnings: named ? await this.unusable(owner, ids) : [] };
	}

	/** Returns those of the people who have a connection, enabled or not. */
	async connected<P extends Person>(people: readonly P[]): Promise<P[]> {
		const answers = await Promise.all(people.map(({ tenant, owner }) => this.#records.hasAny({ tenant, id: owner })));
		return people.filter((_, n) => answers[n]);
	}

	/** Returns the connections that name a credential: those of a person, or of everybody in the tenant. */
	async naming(tenant: string, owner: string | undefined, credential_name: string): Promise<NamingConnection[]> {
		const found = await this.#records.naming(tenant, owner, credential_name);
		return found.map(({ id, owner: person, enabled }) => ({
			id,
			owner: person,
			unnamed: enabled && this.#injected === "all",
		}));
	}

	/** Returns sentences about those of the ids that no launch of the person can use. */
	async unusable(owner: Owner, ids: readonly string[]): Promise<string[]> {
		const found = new Map((await this.#records.ofIds(owner, ids)).map((connection) => [connection.id, connection]));
		const definitions = await this.#catalogue.definitions();
		return [...new Set(ids)].flatMap((id) => {
			const connection = found.get(id);
			if (!connection) return [`connection "${id}" does not exist`];
			if (!connection.enabled) return [`connection "${id}" is disabled`];
			return definitionOf(definitions, connection) ? [] : [`the catalogue has no entry "${connection.slug}" any more`];
		});
	}
}

/** Returns the definition of a connection; undefined when the catalogue has none of its slug and type any more. */
export function definitionOf(
	definitions: ReadonlyMap<string, IntegrationDefinition>,
	{ slug, integration_type }: Connection,
): IntegrationDefinition | undefined {
	const definition = definitions.get(slug);
	return definition?.integration_type === integration_type ? definition : undefined;
}

export function credentialOf(values: NamedValues | undefined): Record<string, string> {
	return Object.fromEntries(Object.entries(values?.data ?? {}).filter(([field]) => !withheld.includes(field)));
}
