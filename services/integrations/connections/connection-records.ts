/**
 * The repository of connections. Every method takes their owner first: connections of others do not exist for the owner,
 * also not for administrators, because a connection speaks for its owner.
 */
import { isoTime, now } from "#shared/base/clock.ts";
import type { IntegrationType } from "#shared/contracts/integrations/definition-fields.ts";
import type { Connection, ConnectionUpdate } from "#shared/contracts/integrations/integrations.ts";
import { ConflictError, NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { type StoredPage, storedPage } from "#shared/store/pages/stored-page.ts";
import { connectionCollection, type ConnectionDocument } from "./connection-collection.ts";

/** The person to whom connections belong. */
export interface Owner {
	readonly tenant: string;
	readonly id: string;
}

/** A connection that is to be stored: what its request and its definition say. */
export type NewConnection = Omit<Connection, "id" | "created_at" | "updated_at">;

/** The page that a client asks for, and what it has already. */
interface ConnectionPage {
	readonly limit: number;
	readonly cursor?: string | undefined;
	readonly known?: string | undefined;
}

/** The most connections that one question of the platform gets. */
const maxFound = 500;

/** The connections of the installation. */
export class ConnectionRecords {
	readonly #store: DocumentStore;
	readonly #maxPerUser: number;

	constructor(store: DocumentStore, maxPerUser: number) {
		this.#store = store;
		this.#maxPerUser = maxPerUser;
	}

	/**
	 * Stores a new connection and returns its text. A repeated request with the same key returns the one that the first
	 * request created.
	 * @throws {ConflictError} when the person has too many; {UnprocessableError} for a key that was used for another request.
	 */
	async create(owner: Owner, connection: NewConnection, key?: string): Promise<string> {
		const at = now();
		const time = isoTime(at);
		const id = key === undefined ? timeBasedUuid(at) : nameBasedUuid("connection", owner.tenant, owner.id, key);
		const whole: Connection = { id, ...connection, created_at: time, updated_at: time };
		const fingerprint = fingerprintOf(connection);
		const columns = { ...columnsOf(whole), tenant: owner.tenant, owner: owner.id, rev: at };
		const document = { id, ...columns, ...(key !== undefined && { fingerprint }) };
		const first = key === undefined ? undefined : await this.#owned(owner, id);
		if (!first) {
			if ((await this.#count(owner)) >= this.#maxPerUser) throw this.#tooMany();
			if (await insertOnce(() => this.#store.insert(connectionCollection, document))) {
				failpoint("integrations.written");
				await this.#refuseBeyondQuota(owner, id);
				return document.wire;
			}
		}
		const stored = first ?? (await this.#get(owner, id));
		refuseOtherRequest(stored.fingerprint, fingerprint);
		return stored.wire;
	}

	/** Returns a connection. @throws {NotFoundError} */
	async get(owner: Owner, id: string): Promise<Connection> {
		return connectionOf(await this.#get(owner, id));
	}

	/**
	 * Changes a connection and returns its text. Concurrent changes of different members all remain.
	 * @throws {NotFoundError}; {UnavailableError} when others change it too fast.
	 */
	async change(owner: Owner, id: string, update: ConnectionUpdate): Promise<string> {
		const changed = await compareAndSet({
			what: "The connection",
			read: () => this.#get(owner, id),
			decide: (document) => changedConnection(connectionOf(document), update),
			write: ({ rev = 0 }, connection) => {
				const { wire, ...set } = columnsOf(connection);
				return this.#store.update(
					connectionCollection,
					id,
					{ equals: { rev } },
					{ wire, set: { ...set, rev: rev + 1 } },
				);
			},
		});
		failpoint("integrations.written");
		return changed?.written.wire ?? (await this.#get(owner, id)).wire;
	}

	/** Deletes a connection. @throws {NotFoundError} */
	async delete({ tenant, id: owner }: Owner, id: string): Promise<void> {
		await this.#get({ tenant, id: owner }, id);
		if (!(await this.#store.remove(connectionCollection, id, { equals: { tenant, owner } }))) throw notFound(id);
		failpoint("integrations.written");
	}

	/** Returns a page of the person's connections, newest first. @throws {BadRequestError} for a cursor that is not ours. */
	list({ tenant, id }: Owner, { limit, cursor, known }: ConnectionPage): Promise<StoredPage> {
		const range = { equals: [tenant, id] };
		const place = { descending: true, ...(cursor !== undefined && { after: cursor }) };
		const page = { limit, columns: ["rev", "created_at"], maxBytes: answerBytes, ...place } as const;
		const versions = { limit: limit + 1, column: "rev", ...place } as const;
		const list = {
			page: () => this.#store.find(connectionCollection, "by_owner", range, page),
			versions: () => this.#store.versions(connectionCollection, "by_owner", range, versions),
		};
		return storedPage(list, limit, known).catch(refuseCursor);
	}

	/** Returns those of the ids that are connections of the person, in their order, each once. */
	async ofIds(owner: Owner, ids: readonly string[]): Promise<Connection[]> {
		const found = await Promise.all([...new Set(ids)].map((id) => this.#owned(owner, id)));
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

	/** Removes a connection that was stored together with others at the same moment, when they are too many. */
	async #refuseBeyondQuota(owner: Owner, id: string): Promise<void> {
		if ((await this.#count(owner)) <= this.#maxPerUser) return;
		await this.#store.remove(connectionCollection, id, { equals: { tenant: owner.tenant, owner: owner.id } });
		throw this.#tooMany();
	}

	#count({ tenant, id }: Owner): Promise<number> {
		return this.#store.count(connectionCollection, "by_owner", { equals: [tenant, id] });
	}

	async #get(owner: Owner, id: string): Promise<ConnectionDocument> {
		const document = await this.#owned(owner, id);
		if (!document) throw notFound(id);
		return document;
	}

	async #owned({ tenant, id: owner }: Owner, id: string): Promise<ConnectionDocument | undefined> {
		const document = await this.#store.get(connectionCollection, id);
		return document?.tenant === tenant && document.owner === owner ? document : undefined;
	}

	#tooMany(): ConflictError {
		return new ConflictError(`A person has at most ${this.#maxPerUser} connections`, "TOO_MANY_CONNECTIONS");
	}
}

/** Returns the connection after a change; undefined when the change names no member. */
function changedConnection(connection: Connection, update: ConnectionUpdate): Connection | undefined {
	const given = Object.entries(update).filter(([, value]) => value !== null && value !== undefined);
	if (given.length === 0) return undefined;
	return { ...connection, ...Object.fromEntries(given), updated_at: isoTime() };
}

function connectionOf({ wire }: ConnectionDocument): Connection {
	return JSON.parse(wire);
}

/** Returns the columns that follow from the connection itself. */
function columnsOf(connection: Connection) {
	const { slug, integration_type, credential_name, enabled, created_at } = connection;
	const columns = { slug, integration_type, credential_name, created_at };
	return { wire: JSON.stringify(connection), ...columns, enabled: enabled ? 1 : 0 };
}

function notFound(id: string): NotFoundError {
	return new NotFoundError(`Connection "${id.slice(0, 100)}" does not exist`, "CONNECTION_NOT_FOUND");
}
