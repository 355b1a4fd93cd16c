/**
 * The repository of one kind of resource, which a table describes: creation by an `Idempotency-Key`, changes by revision,
 * pages, a quota, and who may do what. A repository with more to say has a class of its own that uses this one.
 * @example
 * ```ts
 * const notes = new ResourceRecords(store, {
 * 	collection: noteCollection,
 * 	noun: "Note",
 * 	keyed: "note",
 * 	isAllowed: (principal: Principal, action, note) => isAllowed(principal, action, "note", note),
 * 	refusals: { change: "Only its creator may change a note", delete: "Only its creator may delete a note" },
 * 	written: () => failpoint("notes.written"),
 * });
 * const { document } = await notes.create(principal, { request, key }, (id) => ({ wire: JSON.stringify({ id, ...request }) }));
 * await notes.change(() => notes.get(principal, document.id, "change"), (note) => ({ wire: changedText(note) }));
 * ```
 */
import { answerBytes } from "#shared/base/answer-size.ts";
import { now } from "#shared/base/clock.ts";
import { ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import type { Owner } from "#shared/base/principal.ts";
import type { NotingStore } from "./audit/audited-store.ts";
import type { Columns, Document, Row } from "./collection.ts";
import { tooFast } from "./compare-and-set.ts";
import { DuplicateKeyError, type Found, type OutboxEntry } from "./port/documents.ts";
import { insertOnce } from "./insert-once.ts";
import { refuseCursor } from "./pages/cursor.ts";
import type { PageRequest } from "./pages/memory-page.ts";
import { type StoredList, type StoredPage, storedPage } from "./pages/stored-page.ts";
import { repeatLostRaces } from "./lost-races.ts";
import { type Removal, removeFirst } from "./remove-first.ts";
import type {
	Action,
	KeyedRequest,
	ResourceColumns,
	ResourceKind,
	ResourceList,
	Revision,
	Written,
} from "./resource-kind.ts";

/** The two ways to read a page of a list. */
interface ReadableList<C extends Columns> extends StoredList {
	readonly page: () => Promise<Found<C>>;
}

export class ResourceRecords<C extends ResourceColumns, I extends string, Who = Owner> {
	readonly #store: NotingStore;
	readonly #kind: ResourceKind<C, I, Who>;
	readonly #none: Row<C> = {};
	readonly #races = { refusal: () => tooFast(`The ${this.#kind.noun.toLowerCase()}`) };

	constructor(store: NotingStore, kind: ResourceKind<C, I, Who>) {
		this.#store = store;
		this.#kind = kind;
	}

	/** Returns a resource that this one may see; undefined for others. */
	async find(who: Who, id: string): Promise<Document<C> | undefined> {
		const { collection, isAllowed, isNoted } = this.#kind;
		const document = await this.#store.get(collection, id);
		if (!document || !isAllowed?.(who, "see", document)) return undefined;
		if (isNoted?.(who, document)) await this.#store.noteRead?.(`${collection.name}/${id}`);
		return document;
	}

	/** Returns a resource for an action. @throws {NotFoundError}; {ForbiddenError} for one that may only be seen. */
	async get(who: Who, id: string, action: Action = "see"): Promise<Document<C>> {
		const { isAllowed, refusals = {}, noun } = this.#kind;
		const document = await this.find(who, id);
		if (document && (action === "see" || isAllowed?.(who, action, document))) return document;
		const refusal = action === "see" ? undefined : refusals[action];
		if (!document || refusal === undefined) throw this.notFound(id);
		throw new ForbiddenError(refusal, `${noun.toUpperCase()}_OF_ANOTHER`);
	}

	/** The error for an unknown resource. @param which Its id, or another name of it. */
	notFound(which: string): NotFoundError {
		const { noun, shownOfId } = this.#kind;
		return new NotFoundError(
			`${noun} "${which.slice(0, shownOfId)}" does not exist`,
			`${noun.toUpperCase()}_NOT_FOUND`,
		);
	}

	/**
	 * Creates a resource of a person, or returns the one that the first request with the same key has created.
	 * @throws {UnprocessableError} for a key that was used for another request; the refusal of the quota; what `make` throws;
	 * {ConflictError} when another one has its unique columns.
	 */
	async create(
		owner: Owner & Who,
		{ request, key }: KeyedRequest,
		make: (id: string, at: number) => Written<C> & { readonly wire: string },
	): Promise<{ readonly document: Document<C>; readonly isFirst: boolean }> {
		const at = now();
		const id = key === undefined ? timeBasedUuid(at) : this.idOf(owner, key);
		const { wire, set, event } = make(id, at);
		const keyed = key === undefined ? {} : { fingerprint: fingerprintOf(request) };
		// One that is made again by the key of a deleted one has another revision, and so do lists have another tag.
		const columns = { tenant: owner.tenant, owner: owner.id, ...keyed, rev: at };
		const document = { id, wire, ...this.#none, ...set, ...columns };
		const first = await this.repeated(owner, { request, key });
		if (!first && (await this.#isInsertedWithinQuota(owner, document, event))) return { document, isFirst: true };
		const former = first ?? (await this.repeated(owner, { request, key }));
		if (former) return { document: former, isFirst: false };
		throw this.#kind.taken?.(document) ?? this.notFound(id);
	}

	async #isInsertedWithinQuota(owner: Owner, document: Document<C>, event: Written<C>["event"]): Promise<boolean> {
		await this.refuseBeyondQuota(owner, 1);
		const isInserted = await this.insert(document, event);
		if (isInserted) await this.keepQuota(owner, document);
		return isInserted;
	}

	/** Removes a new resource when those of the same moment are too many together. @throws {Error} as {@link refuseBeyondQuota}. */
	async keepQuota(owner: Owner, document: Document<C>): Promise<void> {
		await this.refuseBeyondQuota(owner).catch(async (error: unknown) => {
			await this.remove(document);
			throw error;
		});
	}

	/** @param more The resources that are about to be created. @throws {Error} the refusal of the quota. */
	async refuseBeyondQuota({ tenant, id }: Owner, more = 0): Promise<void> {
		const { collection, quota } = this.#kind;
		if (quota && (await this.#store.count(collection, quota.index, { equals: [tenant, id] })) + more > quota.most)
			throw quota.refusal();
	}

	/** Returns the resource that an earlier request has created. @throws {UnprocessableError} when that was another one. */
	async repeated(owner: Owner & Who, { request, key }: KeyedRequest): Promise<Document<C> | undefined> {
		const first = key === undefined ? undefined : await this.find(owner, this.idOf(owner, key));
		if (first) refuseOtherRequest(textIn(first, "fingerprint"), fingerprintOf(request));
		return first;
	}

	/** Returns the id of the resource that a person creates with a key. */
	idOf({ tenant, id }: Owner, key: string): string {
		const { keyed, noun } = this.#kind;
		return nameBasedUuid(keyed ?? noun, tenant, id, key);
	}

	/** Inserts a document unless its id or its unique columns are taken; resolves to whether it did. */
	async insert(document: Document<C>, event?: Written<C>["event"]): Promise<boolean> {
		const events = eventsOf(document, document.rev ?? 0, event);
		const isInserted = await insertOnce(() => this.#store.insert(this.#kind.collection, document, events));
		if (isInserted) this.#kind.written?.();
		return isInserted;
	}

	/**
	 * Changes a resource by compare-and-set, and returns the newest form of it, also when nothing was written. Concurrent
	 * changes of different members all remain.
	 * @param decide Returns the change; it is called again after a lost race, so it has no side effects.
	 * @throws whatever the two functions throw; {UnavailableError} after 50 lost races.
	 */
	async change<D extends Document<C> | undefined>(
		read: () => Promise<D>,
		decide: (document: Document<C>) => Written<C> | undefined,
	): Promise<D | Document<C>> {
		const { newest } = await repeatLostRaces(async () => {
			const document = await read();
			const decision = document && decide(document);
			if (!document || !decision) return { newest: document };
			const written = await this.write(document, decision);
			return written && { newest: written };
		}, this.#races);
		return newest;
	}

	/** Changes the document with this id, whoever may see it; undefined when there is none. @throws as {@link change} does. */
	changeOf(id: string, decide: (document: Document<C>) => Written<C> | undefined): Promise<Document<C> | undefined> {
		return this.change(() => this.stored(id), decide);
	}

	/** Changes the document with this id, or inserts it when there is none; returns the decision. @throws as {@link change} does. */
	async put<W extends Written<C> | undefined>(id: string, decide: (former: Document<C> | undefined) => W): Promise<W> {
		const { decision } = await repeatLostRaces(async () => {
			const former = await this.stored(id);
			const decision = decide(former);
			const { wire = "{}", set } = decision ?? {};
			const insert = () => this.insert({ id, wire, ...this.#none, ...set, rev: 1 });
			const isWritten = !decision || (await (former ? this.write(former, decision) : insert()));
			return isWritten ? { decision } : undefined;
		}, this.#races);
		return decision;
	}

	/** Writes a change of the document that was read; undefined when it has changed since. @throws {DuplicateKeyError} */
	async write(document: Revision, { event, ...change }: Written<C>): Promise<Document<C> | undefined> {
		const { id, rev = 0 } = document;
		const set = { ...this.#none, ...change.set, rev: rev + 1 };
		const guard = document.rev === undefined ? {} : { equals: { ...this.#none, rev } };
		const events = eventsOf(document, rev + 1, event);
		const written = await this.#store
			.update(this.#kind.collection, id, guard, { ...change, set }, events)
			.catch((error: unknown) => {
				const taken = error instanceof DuplicateKeyError ? this.#kind.taken?.(set) : undefined;
				throw taken ?? error;
			});
		if (written) this.#kind.written?.();
		return written;
	}

	/** Deletes a resource. @throws {NotFoundError}; {ForbiddenError} for one that may only be seen. */
	async delete(who: Who, id: string): Promise<void> {
		const document = await this.get(who, id, "delete");
		if (!(await this.remove(document))) throw this.notFound(id);
	}

	/** Removes the document with this id, tenant and owner; resolves to whether there was one. */
	async remove(document: Document<C>): Promise<boolean> {
		const { tenant, owner }: Row<Columns> = document;
		const isRemoved = await this.#store.remove(this.#kind.collection, document.id, {
			equals: { ...this.#none, tenant, owner },
		});
		if (isRemoved) this.#kind.written?.();
		return isRemoved;
	}

	/** Returns a page, the largest value first unless the list says otherwise. @throws {BadRequestError} for a cursor that is not ours. */
	list(list: ResourceList<I>, { limit, cursor, known }: PageRequest): Promise<StoredPage> {
		return storedPage(this.pages(list, { limit, cursor }), limit, known).catch(refuseCursor);
	}

	/**
	 * Returns the two ways to read a page, which throw {RangeError} for a cursor that is not ours.
	 * @param growth The bytes by which a text may grow before it is sent.
	 */
	pages(
		{ index, equals, descending = true }: ResourceList<I>,
		{ limit, cursor }: PageRequest,
		columns: readonly (keyof C & string)[] = ["rev"],
		growth = 0,
	): ReadableList<C> {
		const { collection } = this.#kind;
		const place = { descending, ...(cursor !== undefined && { after: cursor }) };
		const page = { ...place, limit, columns, maxBytes: answerBytes - limit * growth };
		return {
			page: () => this.#store.find(collection, index, { equals }, page),
			versions: () =>
				this.#store.versions(collection, index, { equals }, { ...place, limit: limit + 1, column: "rev" }),
		};
	}

	/** Returns the first document of a list, whoever may see it. */
	async first({ index, equals, descending = true }: ResourceList<I>): Promise<Document<C> | undefined> {
		const page = { limit: 1, descending };
		return (await this.#store.find(this.#kind.collection, index, { equals }, page)).documents[0];
	}

	/** Returns the document with this id, whoever may see it. */
	stored(id: string): Promise<Document<C> | undefined> {
		return this.#store.get(this.#kind.collection, id);
	}

	/** Removes the first documents of an index, e.g. the oldest; resolves to their count. */
	removeFirst(index: I, removal: Removal): Promise<number> {
		return removeFirst(this.#store, this.#kind.collection, index, removal);
	}
}

/** Returns the event as it is part of the write of a document. */
function eventsOf({ tenant = "", owner = "" }: Revision, n: number, event: Written<Columns>["event"]): OutboxEntry[] {
	return event ? [{ n, audience: { tenant, owner }, ...event }] : [];
}

function textIn(document: Row<Columns>, column: string): string | undefined {
	const value = document[column];
	return typeof value === "string" ? value : undefined;
}

/** The resources in a collection, e.g. `ResourcesIn<typeof noteCollection, Principal>`. */
export type ResourcesIn<
	K extends { readonly columns: ResourceColumns; readonly indexes: object },
	Who = Owner,
> = ResourceRecords<K["columns"], keyof K["indexes"] & string, Who>;
