/**
 * The repository of connections. Every method takes their owner first: connections of others do not exist for the owner,
 * also not for administrators, because a connection speaks for its owner. Errors not named here are those of ResourceRecords.
 */
import { isoTime } from "#shared/base/clock.ts";
import { givenMembers } from "#shared/base/given-members.ts";
import type { IntegrationType } from "#shared/contracts/integrations/definition-fields.ts";
import type { Connection, ConnectionUpdate } from "#shared/contracts/integrations/integrations.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import type { StoredPage } from "#shared/store/pages/stored-page.ts";
import type { Owner } from "#shared/base/principal.ts";
import { isOwnedBy } from "#shared/store/resource-kind.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { connectionCollection, type ConnectionDocument } from "./connection-collection.ts";

/** A connection that is to be stored: what its request and its definition say. */
export type NewConnection = Omit<Connection, "id" | "created_at" | "updated_at">;

/** The most connections that one question of the platform gets. */
const maxFound = 500;

export class ConnectionRecords {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof connectionCollection>;

	constructor(store: Documents, maxPerUser: number) {
		this.#store = store;
		const refusal = () => new ConflictError(`A person has at most ${maxPerUser} connections`, "TOO_MANY_CONNECTIONS");
		this.#records = new ResourceRecords(store, {
			collection: connectionCollection,
			noun: "Connection",
			shownOfId: 100,
			keyed: "connection",
			isAllowed: isOwnedBy,
			quota: { index: "by_owner", most: maxPerUser, refusal },
			written: () => failpoint("integrations.written"),
		});
	}

	/** Stores a new connection and returns its text. @throws {ConflictError} when the person has too many. */
	async create(owner: Owner, connection: NewConnection, key?: string): Promise<string> {
		const created = await this.#records.create(owner, { request: connection, key }, (id, at) => {
			const time = isoTime(at);
			return written({ id, ...connection, created_at: time, updated_at: time });
		});
		return created.document.wire;
	}

	async get(owner: Owner, id: string): Promise<Connection> {
		return connectionOf(await this.#records.get(owner, id));
	}

	async change(owner: Owner, id: string, update: ConnectionUpdate): Promise<string> {
		const given = givenMembers(update);
		const read = () => this.#records.get(owner, id);
		const changed = await this.#records.change(
			read,
			(former) => given && written({ ...connectionOf(former), ...given, updated_at: isoTime() }),
		);
		return changed.wire;
	}

	delete(owner: Owner, id: string): Promise<void> {
		return this.#records.delete(owner, id);
	}

	/** Returns a page of the person's connections, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list({ tenant, id }: Owner, page: PageRequest): Promise<StoredPage> {
		return this.#records.list({ index: "by_owner", equals: [tenant, id] }, page);
	}

	/** Returns those of the ids that are connections of the person, in their order, each once. */
	async ofIds(owner: Owner, ids: readonly string[]): Promise<Connection[]> {
		const found = await Promise.all([...new Set(ids)].map((id) => this.#records.find(owner, id)));
		return found.flatMap((document) => (document ? [connectionOf(document)] : []));
	}

	/** Returns the enabled connections of the person, of one type or of all, newest first. */
	async enabled({ tenant, id }: Owner, type?: IntegrationType): Promise<Connection[]> {
		const page = { limit: maxFound, descending: true } as const;
		const { documents } =
			type === undefined
				? await this.#store.find(connectionCollection, "by_owner", { equals: [tenant, id] }, page)
				: await this.#store.find(connectionCollection, "by_type", { equals: [tenant, id, type, 1] }, page);
		return documents.map(connectionOf).filter(({ enabled }) => enabled);
	}

	/** Whether the person has a connection, enabled or not. */
	async hasAny({ tenant, id }: Owner): Promise<boolean> {
		const page = { limit: 1, columns: ["slug"] } as const;
		const { documents } = await this.#store.find(connectionCollection, "by_owner", { equals: [tenant, id] }, page);
		return documents.length > 0;
	}

	/** Returns owners and states of the connections that name a credential: of a person, or of everybody in the tenant. */
	async naming(
		tenant: string,
		owner: string | undefined,
		credential_name: string,
	): Promise<{ id: string; owner: string; enabled: boolean }[]> {
		const range = { equals: [tenant, credential_name, ...(owner === undefined ? [] : [owner])] };
		const page = { limit: maxFound, columns: ["owner", "enabled"] } as const;
		const { documents } = await this.#store.find(connectionCollection, "by_credential", range, page);
		return documents.map(({ id, owner: person = "", enabled }) => ({ id, owner: person, enabled: enabled === 1 }));
	}
}

function connectionOf({ wire }: ConnectionDocument): Connection {
	return JSON.parse(wire);
}

function written(connection: Connection) {
	const { slug, integration_type, credential_name, enabled, created_at } = connection;
	const columns = { slug, integration_type, credential_name, created_at };
	return { wire: JSON.stringify(connection), set: { ...columns, enabled: enabled ? 1 : 0 } };
}
